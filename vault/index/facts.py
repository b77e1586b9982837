"""What the index keeps of one page, read from its text."""

import re
import unicodedata
from dataclasses import dataclass

from vault.article.page import Article, parse_article
from vault.links.known import PageNames, page_names_of
from vault.links.link import Link
from vault.links.scan import leads_to_note, links_in
from vault.links.tags import tags_in

_LONGEST_PASSAGE = 1200
_BLANK_LINE = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_KEYS = ("updated", "modified", "date modified", "date", "created", "date created")
_INDEXED_APART = {"title", "alias", "aliases"}


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a page, from `start` to `end`; `line` counts from 1."""

    start: int
    end: int
    line: int
    heading_path: tuple[str, ...]
    anchor: str


@dataclass(frozen=True, slots=True)
class AnchorFact:
    """A heading that can be linked to; `line` counts from 1."""

    line: int
    level: int
    slug: str
    text: str


@dataclass(frozen=True, slots=True)
class LinkFact:
    """A link and the line it is on, counted from 1."""

    link: Link
    line: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything the index keeps of a page.

    `body` is its text without the front matter, in NFC; `properties` is that.
    """

    names: PageNames
    body: str
    headings: tuple[AnchorFact, ...]
    passages: tuple[Passage, ...]
    links: tuple[LinkFact, ...]
    tags: tuple[str, ...]
    categories: tuple[str, ...]
    date: str
    properties: str = ""


def read_facts(text: str) -> Facts:
    """Read them; every text has some."""
    article = parse_article(text)
    lines = article.layout.lines
    links = links_in(article.layout, article.prose)
    body = unicodedata.normalize("NFC", text[lines.start(article.layout.front_lines) :])
    front = article.front_matter
    front_tags = front.names("tags", "tag") if front else ()
    tags = (*front_tags, *(tag.name for tag in tags_in(article.prose, links)))
    return Facts(
        names=page_names_of(text, front),
        body=body,
        headings=tuple(
            AnchorFact(each.line + 1, each.level, each.anchor, each.title)
            for each in article.headings
        ),
        passages=tuple(passages_of(article)),
        links=tuple(
            LinkFact(link, lines.line_of(link.start) + 1) for link in links if leads_to_note(link)
        ),
        tags=tuple(dict.fromkeys(tag.strip().removeprefix("#") for tag in tags if tag.strip("# "))),
        categories=_categories(article),
        date=_date(article),
        properties=_properties(article),
    )


def _properties(article: Article) -> str:
    """The front matter as it is written, without what is indexed apart."""
    lines = article.layout.lines
    front = article.front_matter
    if front is None:
        return ""
    pieces, done = [], lines.start(1)
    for each in front.properties:
        if each.key.casefold() in _INDEXED_APART and each.start >= done:
            pieces.append(lines.text[done : each.start])
            done = each.end
    return "".join([*pieces, lines.text[done : front.inner_end]])


def passages_of(article: Article) -> list[Passage]:
    """The sections, and of long ones their paragraphs, as many as fit together."""
    lines = article.layout.lines
    passages: list[Passage] = []
    for section in article.sections:
        anchor = section.heading.anchor if section.heading else ""
        start = section.start
        for end in _cuts(article.text, section.start, section.end):
            if article.text[start:end].strip():
                line = lines.line_of(start) + 1
                passages.append(Passage(start, end, line, section.path, anchor))
            start = end
    return passages


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Where passages end, at blank lines."""
    if end - start <= _LONGEST_PASSAGE:
        return [end]
    cuts: list[int] = []
    last = start
    for found in _BLANK_LINE.finditer(text, start, end):
        if found.end() - last > _LONGEST_PASSAGE:
            cuts.append(found.end())
            last = found.end()
    return [*cuts, end]


def _categories(article: Article) -> tuple[str, ...]:
    front = article.front_matter
    listed = front.names("categories", "category") if front else ()
    # The lines above the sections are read only for the marks that may be there.
    named = article.opening.categories if "category:" in article.text.casefold() else ()
    return tuple(dict.fromkeys((*named, *listed)))


def _date(article: Article) -> str:
    front = article.front_matter
    if front is None:
        return ""
    for key in _DATE_KEYS:
        found = _DATE.search(" ".join(front.names(key)))
        if found:
            return found.group()
    return ""
