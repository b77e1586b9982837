"""Lines of the gauge: pieces of text with a meaning, not yet with a colour. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from tui.text.line import to_line
from tui.text.width import elide

Tone = Literal[
    "plain",
    "muted",
    "name",
    "title",
    "good",
    "warn",
    "critical",
    "weights",
    "kv",
    "kv-limit",
    "transient",
    "reserve",
    "free",
    "curve",
    "curve-low",
    "key",
]


@dataclass(frozen=True, slots=True)
class Span:
    """Some cells of a line and what they mean."""

    text: str
    tone: Tone = "plain"


Line = tuple[Span, ...]
Lines = tuple[Line, ...]


def line_text(line: Line) -> str:
    """The line without its tones."""
    return "".join(span.text for span in line)


def fit(line: Iterable[Span], width: int) -> Line:
    """The line cut or filled up to exactly `width` cells."""
    kept: list[Span] = []
    room = width
    for span in line:
        text = elide(span.text, room)
        if text:
            kept.append(Span(text, span.tone))
            room -= cell_len(text)
    return (*kept, Span(" " * room)) if room > 0 else tuple(kept)


def blank(width: int) -> Line:
    """An empty line."""
    return (Span(" " * width),)


def foreign(text: str, tone: Tone = "plain") -> Span:
    """Text that is not ours, made harmless."""
    return Span(to_line(text), tone)


def row(label: Span, value: Span, width: int) -> Lines:
    """Label on the left, value on the right; on two lines where both do not fit on one."""
    room = width - cell_len(label.text) - cell_len(value.text)
    if room > 0:
        return ((label, Span(" " * room), value),)
    return (fit([label], width), right(value, width))


def right(value: Span, width: int) -> Line:
    """A value alone on its line."""
    text = elide(value.text, width)
    return fit([Span(" " * (width - cell_len(text))), Span(text, value.tone)], width)


def columns_row(label: Sequence[Span], values: Sequence[Span], cells: int, width: int) -> Lines:
    """A line of a table whose value columns are `cells` wide; the label has what is left.

    Where that is too little for this label, it stands on a line of its own.
    """
    values_width = cells * len(values)
    table = [_right_cell(value, cells) for value in values]
    label_width = sum(cell_len(span.text) for span in label)
    if label_width + values_width <= width:
        gap = Span(" " * (width - label_width - values_width))
        return ((*label, gap, *(span for pair in table for span in pair)),)
    lines = (fit(label, width),) if label_width else ()
    if values_width <= width:
        gap = Span(" " * (width - values_width))
        return (*lines, (gap, *(span for pair in table for span in pair)))
    return (*lines, *(right(value, width) for value in values))


def wrap(text: str, width: int, most: int, tone: Tone = "plain") -> Lines:
    """A sentence over at most `most` lines."""
    lines: list[str] = []
    words = to_line(text).split()
    while words and len(lines) < most:
        line = words.pop(0)
        while words and cell_len(line) + 1 + cell_len(words[0]) <= width:
            line += f" {words.pop(0)}"
        if words and len(lines) == most - 1:
            line = f"{line} {' '.join(words)}"
        lines.append(line)
    return tuple(fit([Span(line, tone)], width) for line in lines)


def _right_cell(value: Span, cells: int) -> tuple[Span, Span]:
    text = elide(value.text, cells)
    return Span(" " * (cells - cell_len(text))), Span(text, value.tone)
