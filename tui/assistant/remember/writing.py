"""Pages with something added or corrected; everything else on them stays as it is."""

from __future__ import annotations

import re

from tui.assistant.remember.material import Material, Origin, below_level, quoted
from vault.anchors import heading_key
from vault.article.footnote_edits import add_citation
from vault.article.page import Article, parse_article
from vault.article.section_edits import append_to_section, closing_rank, insert_section
from vault.article.sections import Section
from vault.article.splices import apply_edits
from vault.errors import EditRefused

_SOURCE = "chat"
_STANDS_ALONE = re.compile(r"\s*(?:```|~~~|\||[-=*_]{3,}\s*\Z|>|#)")


def with_added(page: str, material: Material, place: str, *, is_ours: bool) -> str:
    """The page with the material in it; `place` is the heading it belongs below, or empty.

    A page that zib made gets a footnote that cites the chat, any other one the citation itself.
    """
    page, mark = _cited(page, material.origin, is_ours=is_ours)
    article = parse_article(page)
    section = _section_for(article, material, place)
    level = section.level if section is not None else 1 if material.is_statement else 2
    text = below_level(material.text, level)
    try:
        return _put(article, section, material, _marked(text, mark))
    except EditRefused:
        return _put(article, section, material, _marked(quoted(text), mark))


def new_page(heading: str, material: Material, *, is_ours: bool) -> str:
    """A page that says nothing else."""
    return with_added(
        f"# {heading}\n",
        Material(material.text, material.title, material.origin),
        "",
        is_ours=is_ours,
    )


def corrected(page: str, old: str, new: str, origin: Origin, *, is_ours: bool) -> str:
    """The page with one passage as the user wants it. Raises EditRefused when it is not there."""
    if page.count(old) != 1:
        raise EditRefused("The article changed meanwhile; open it and edit it there (F4).")
    at = page.index(old)
    cited, mark = _cited(page, origin, is_ours=is_ours)
    shift = cited.find(old) if cited.count(old) == 1 else at
    return cited[:shift] + (_marked(new, mark) if new.strip() else new) + cited[shift + len(old) :]


def _cited(page: str, origin: Origin, *, is_ours: bool) -> tuple[str, str]:
    """The page with the chat among its references, and what marks a text as taken from it."""
    if not origin.hash or not origin.is_said:
        return page, ""
    if not is_ours:
        return page, f" (`{origin.citation}`, {origin.date})"
    number, edits = add_citation(parse_article(page), origin.hash, origin.date, _SOURCE)
    return apply_edits(page, edits), f"[^{number}]"


def _marked(text: str, mark: str) -> str:
    body = text.rstrip()
    if not mark or mark in body.rpartition("\n")[2]:
        return body
    if _STANDS_ALONE.match(body.rpartition("\n")[2]):
        return f"{body}\n\n{mark.strip()}"
    return f"{body}{mark}"


def _section_for(article: Article, material: Material, place: str) -> Section | None:
    """Where it is appended; None where it becomes a section of its own."""
    if not material.is_statement:
        same = article.section(material.title)
        return same if same is not None and heading_key(material.title) else None
    section = article.section(place) if place else None
    if section is not None and not closing_rank(section.title):
        return section
    titled = (each for each in article.sections if each.level == 1)
    return next(titled, article.sections[0] if article.sections else None)


def _put(article: Article, section: Section | None, material: Material, text: str) -> str:
    if section is None:
        edits = insert_section(article, material.title, text)
    else:
        edits = append_to_section(article, section, text)
    return apply_edits(article.text, edits)
