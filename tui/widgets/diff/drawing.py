"""Draws the sections of a difference as lines of text: one under the other, or side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from textual.content import Content

from tui.text.line import clean_line
from tui.widgets.diff.section import Section
from vault.history.diff import DiffLine, Kind

_SIGNS = {Kind.SAME: "  ", Kind.REMOVED: "- ", Kind.ADDED: "+ "}
_STYLES = {Kind.SAME: "", Kind.REMOVED: "$diff-removed", Kind.ADDED: "$diff-added"}
_NO_BREAK = " (no line break at the end)"
_MARK = "bold reverse"
_TITLE = "$pane-title bold"
_CURRENT_TITLE = "$block-cursor-foreground on $block-cursor-background bold"
_MOST_LINE = 4000
_DIVIDER = " │ "


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawn lines, and at which of them each section begins."""

    lines: tuple[Content, ...]
    starts: tuple[int, ...]


def draw(
    sections: Sequence[Section], width: int, current: int, *, by_words: bool, is_beside: bool
) -> Drawing:
    """Draw for `width` cells; the title of the section number `current` stands out."""
    lines: list[Content] = []
    starts: list[int] = []
    for number, section in enumerate(sections):
        if lines:
            lines.append(Content(""))
        starts.append(len(lines))
        lines.append(_title(section, number == current))
        drawn = _beside if is_beside else _under
        lines += drawn(section.lines, max(8, width), by_words)
    return Drawing(tuple(lines), tuple(starts))


def _title(section: Section, is_current: bool) -> Content:
    box = {None: "", True: "[x] ", False: "[ ] "}[section.is_taken]
    style = _CURRENT_TITLE if is_current else _TITLE
    return Content.styled(f" {box}{clean_line(section.title)} ", style)


def _under(lines: Sequence[DiffLine], width: int, by_words: bool) -> Iterator[Content]:
    for line in lines:
        yield from _cell(line, width, by_words)


def _beside(lines: Sequence[DiffLine], width: int, by_words: bool) -> Iterator[Content]:
    half = (width - len(_DIVIDER)) // 2
    empty = Content(" " * half)
    for left, right in _pairs(lines):
        old, new = _column(left, half, by_words), _column(right, half, by_words)
        for one, other in zip_longest(old, new, fillvalue=empty):
            yield Content.assemble(one, (_DIVIDER, "$pane-border"), other)


def _column(line: DiffLine | None, width: int, by_words: bool) -> list[Content]:
    drawn = [] if line is None else _cell(line, width, by_words)
    return [each.pad_right(max(0, width - each.cell_length)) for each in drawn]


def _pairs(lines: Sequence[DiffLine]) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    """What was beside what came in its place."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines:
        match line.kind:
            case Kind.REMOVED:
                removed.append(line)
            case Kind.ADDED:
                added.append(line)
            case Kind.SAME:
                yield from zip_longest(removed, added)
                removed, added = [], []
                yield line, line
    yield from zip_longest(removed, added)


def _cell(line: DiffLine, width: int, by_words: bool) -> list[Content]:
    """One line of a text, folded; every folded line keeps the sign, so colour is not needed."""
    sign, style = _SIGNS[line.kind], _STYLES[line.kind]
    text = line.text[:_MOST_LINE]
    pieces: list[Content | tuple[str, str]] = []
    at = 0
    for start, end in line.spans if by_words else ():
        pieces += [(_shown(text[at:start]), ""), (_shown(text[start:end]), _MARK)]
        at = end
    pieces.append((_shown(text[at:]), ""))
    if len(line.text) > _MOST_LINE:
        pieces.append((f" … {len(line.text) - _MOST_LINE:,} more characters", "italic"))
    if not line.ends and line.kind is not Kind.SAME:
        pieces.append((_NO_BREAK, "italic"))
    body = Content.assemble(*pieces).wrap(max(4, width - len(sign)))
    return [Content.assemble(sign, each).stylize_before(style) for each in body or [Content("")]]


def _shown(text: str) -> str:
    return clean_line(text.expandtabs(4))
