"""The footnotes of a page: marks in the text, definitions, and the conversations they cite."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vault.article.block import BlockKind
from vault.article.blocks import Layout
from vault.masked import is_escaped

_ID = r"\[\^(?P<id>[^\[\]\s^]{1,200})\]"
_MARK = re.compile(rf"(?<!\[){_ID}")
_DEFINITION = re.compile(rf" {{0,3}}{_ID}:")
_CITATION = re.compile(
    r"[ \t]*`conv:(?P<hash>[0-9A-Za-z]{1,64})`"
    r"(?:[ \t]*\((?P<date>[^(),]*)(?:,(?P<source>[^()]*))?\))?(?P<description>.*)"
)
_STARTS_ANEW = re.compile(r" {0,3}(?:[#>`~]|\[\^|[-+*][ \t]|\d{1,9}[.)][ \t])")


@dataclass(frozen=True, slots=True)
class Mark:
    """A footnote mark in the text."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Citation:
    """The conversation a footnote cites, by the beginning of its id."""

    conversation: str
    date: str
    source: str
    description: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A footnote's definition with its lines, breaks included; `text` is behind the colon."""

    id: str
    text: str
    start: int
    text_start: int
    end: int

    @property
    def citation(self) -> Citation | None:
        """What it cites; None when it cites no conversation."""
        found = _CITATION.match(self.text)
        if found is None:
            return None
        date, source = (found["date"] or "").strip(), (found["source"] or "").strip()
        return Citation(found["hash"].lower(), date, source, found["description"].strip())


@dataclass(frozen=True, slots=True)
class Footnotes:
    """All marks and definitions, in the order of the page."""

    marks: tuple[Mark, ...]
    definitions: tuple[Definition, ...]

    @property
    def undefined(self) -> tuple[Mark, ...]:
        """The marks without a definition."""
        known = {each.id for each in self.definitions}
        return tuple(each for each in self.marks if each.id not in known)

    @property
    def unused(self) -> tuple[Definition, ...]:
        """The definitions without a mark."""
        used = {each.id for each in self.marks}
        return tuple(each for each in self.definitions if each.id not in used)

    @property
    def highest_number(self) -> int:
        """The highest number in use; 0 without any."""
        ids = (*(each.id for each in self.marks), *(each.id for each in self.definitions))
        return max((int(each) for each in ids if _is_number(each)), default=0)


def read_footnotes(layout: Layout, prose: str) -> Footnotes:
    """Find the footnotes outside code and comments; a definition starts its line."""
    definitions = tuple(_definitions(layout, prose))
    openings = {each.text_start for each in definitions}
    marks = tuple(
        Mark(found["id"], found.start(), found.end())
        for found in _MARK.finditer(prose)
        if found.end() + 1 not in openings and not is_escaped(prose, found.start())
    )
    return Footnotes(marks, definitions)


def _definitions(layout: Layout, prose: str) -> Iterator[Definition]:
    lines = layout.lines
    boundaries = {
        block.first
        for block in layout.blocks
        if block.kind is not BlockKind.PARAGRAPH and block.depth == 0
    }
    for line in range(layout.front_lines, lines.count):
        start = lines.start(line)
        found = _DEFINITION.match(prose, start, lines.end(line))
        if found is None:
            continue
        past = line + 1
        while past < lines.count and past not in boundaries and _goes_on(lines.content(past)):
            past += 1
        text = lines.text[found.end() : lines.end(past - 1)]
        yield Definition(found["id"], text.strip(), start, found.end(), lines.start(past))


def _goes_on(line: str) -> bool:
    return bool(line.strip(" \t")) and _STARTS_ANEW.match(line) is None


def _is_number(id: str) -> bool:
    return id.isascii() and id.isdigit() and len(id) <= 9
