"""Brings an article we made into its usual form. A page made by others is none of its business.

Every step is a splice and may find nothing to do; a second pass changes nothing.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from vault.article.fences import repair_fences
from vault.article.infobox import Field
from vault.article.normalise_footnotes import are_in_order, footnote_edits
from vault.article.normalise_sections import is_stub, section_edits
from vault.article.opening_edits import set_stub, set_title
from vault.article.page import Article, parse_article
from vault.article.splices import Edit, Edits, apply_edits, trimmed
from vault.errors import EditRefused
from vault.masked import is_escaped
from vault.names import title_of

# Returns the file stem of the page a link's target means, or None when there is no such page.
Canonical = Callable[[str], str | None]

_WIKILINK = re.compile(r"\[\[(?P<target>[^\[\]|#\\\r\n]+)[^\[\]\r\n]*\]\]")
_MOST_ROUNDS = 5
_NOT_PAGES = ("conv:", "category:")


@dataclass(frozen=True, slots=True)
class Normalised:
    """An article in its usual form; `edits` lead from the old text to it.

    `notes` are sentences on what was repaired or could not be; `red_links` name the pages that
    are linked but do not exist.
    """

    text: str
    edits: Edits
    notes: tuple[str, ...] = ()
    red_links: tuple[str, ...] = ()


def normalise(text: str, stem: str, canonical: Canonical) -> Normalised:
    """Bring an article into its usual form: fences, links, infobox, title, sections, footnotes.

    A page that does not settle after a few rounds is left as it was, with a note.
    """
    now, notes = text, dict[str, None]()
    for _ in range(_MOST_ROUNDS):
        before = now
        now = _one_round(before, stem, canonical, notes)
        if now == before:
            break
    else:
        return Normalised(text, (), ("The page is too tangled to be put in order.",))
    article = parse_article(now)
    if not are_in_order(article.footnotes):
        notes.setdefault("Some footnotes have no mark or cite no conversation; they were kept.")
    edits = trimmed(text, Edit(0, len(text), now))
    return Normalised(now, edits, tuple(notes), link_edits(article, canonical)[1])


def _one_round(text: str, stem: str, canonical: Canonical, notes: dict[str, None]) -> str:
    fences = repair_fences(text)
    if fences:
        notes.setdefault("An open code block was closed or a stray fence taken away.")
    article = parse_article(apply_edits(text, fences))
    steps: tuple[Callable[[Article], Edits], ...] = (
        lambda page: link_edits(page, canonical)[0],
        infobox_edits,
        lambda page: _title_edits(page, title_of(stem)),
        _section_edits,
        footnote_edits,
        _stub_edits,
    )
    for step in steps:
        try:
            edits = step(article)
        except EditRefused as refused:
            notes.setdefault(str(refused))
            continue
        if edits:
            article = parse_article(apply_edits(article.text, edits))
    return article.text


def link_edits(article: Article, canonical: Canonical) -> tuple[Edits, tuple[str, ...]]:
    """Return the edits that spell the targets of links as their files are called, and red links.

    Labels and fragments stay; links in code stay, those in the infobox do not.
    """
    edits: list[Edit] = []
    red: dict[str, None] = {}
    box = article.infobox
    places = [(article.prose, 0, len(article.text))]
    places += [(article.text, each.value_start, each.end) for each in (box.fields if box else ())]
    for searched, start, end in places:
        for found in _WIKILINK.finditer(searched, start, end):
            written = found["target"]
            target = written.strip()
            is_page = target and not target.casefold().startswith(_NOT_PAGES)
            if not is_page or is_escaped(article.text, found.start()):
                continue
            stem = canonical(target)
            if stem is None:
                red.setdefault(target)
            elif stem != target:
                edits.append(Edit(*found.span("target"), stem))
    return tuple(edits), tuple(red)


def infobox_edits(article: Article) -> Edits:
    """Return the edit that orders the infobox: type, kind, the others by name, aliases last."""
    box = article.infobox
    if box is None or not box.fields:
        return ()
    lines = [article.text[each.start : each.end] for each in box.fields]
    if "".join(lines) != article.text[box.inner_start : box.inner_end]:
        # There is a line that is no field, and nobody knows where it belongs.
        return ()
    ordered = sorted(zip(box.fields, lines, strict=True), key=lambda each: _field_order(each[0]))
    inner = "".join(line for _, line in ordered)
    return trimmed(article.text, Edit(box.inner_start, box.inner_end, inner))


def _field_order(field: Field) -> tuple[int, str]:
    places = {"type": 0, "kind": 1, "aliases": 3}
    return places.get(field.key.casefold(), 2), field.key.casefold()


def _title_edits(article: Article, title: str) -> Edits:
    heading = article.heading
    if heading is None or heading.source == title:
        return set_title(article, title)
    lines = article.layout.lines
    if lines.content(heading.line).lstrip().startswith("#"):
        return set_title(article, title)
    # Text that happens to be underlined is text; the title comes above it.
    underline = lines.start(lines.line_of(heading.end - 1))
    line_break = lines.break_near(heading.start)
    return (
        Edit(heading.start, heading.start, f"# {title}{line_break * 2}"),
        Edit(underline, heading.end, ""),
    )


def _section_edits(article: Article) -> Edits:
    return () if article.opening.redirect is not None else section_edits(article)


def _stub_edits(article: Article) -> Edits:
    if article.opening.redirect is not None:
        return ()
    return set_stub(article, is_stub(article))
