"""A document for Textual's text area in which every line keeps its own line break.

Textual's own breaks a line at every character that `str.splitlines` knows and joins lines with one
kind of break; here only what an edit touches is another text afterwards.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter

from textual.document._document import Document, EditResult, Location, Newline

_BREAK = re.compile("(\r\n|\n|\r)")


class ExactDocument(Document):
    """Lines without their breaks, and the break behind every line but the last."""

    def __init__(self, text: str) -> None:
        pieces = _BREAK.split(text)
        self._lines, self._breaks = pieces[0::2], pieces[1::2]
        self._newline = _usual(self._breaks)
        self._text: str | None = text
        self._starts: list[int] | None = None

    @property
    def text(self) -> str:
        """The whole text, with the line breaks it came with."""
        if self._text is None:
            breaks = [*self._breaks, ""]
            self._text = "".join(map("".join, zip(self._lines, breaks, strict=True)))
        return self._text

    def as_written(self, text: str) -> str:
        """What is typed or pasted, with the line breaks this document mostly has."""
        return _BREAK.sub(self._newline, text)

    def break_after(self, row: int) -> str:
        """The line break behind a line; empty behind the last one."""
        return self._breaks[row] if row < len(self._breaks) else ""

    def difference(self, text: str) -> tuple[Location, Location, str]:
        """The lines to replace, and by what, for the document to hold `text`."""
        pieces = _BREAK.split(text)
        new = [*map("".join, zip(pieces[0::2], [*pieces[1::2], ""], strict=True))]
        old = [*map("".join, zip(self._lines, [*self._breaks, ""], strict=True))]
        most = min(len(old), len(new)) - 1
        head = 0
        while head < most and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < most - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        last = len(self._lines) - 1 - tail
        # The last of these lines stands with its break; what follows begins behind it.
        end = (last + 1, 0) if tail else (last, len(self._lines[last]))
        return (head, 0), end, "".join(new[head : len(new) - tail])

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Put `text` between two places, with its own line breaks."""
        (top, left), (bottom, right) = sorted((self._clamped(start), self._clamped(end)))
        replaced = self.get_text_range((top, left), (bottom, right))
        pieces = _BREAK.split(text)
        new, breaks = pieces[0::2], pieces[1::2]
        before, after = self._lines[top][:left], self._lines[bottom][right:]
        new[0] = before + new[0]
        column = len(new[-1])
        new[-1] += after
        self._lines[top : bottom + 1] = new
        self._breaks[top:bottom] = breaks
        self._text = self._starts = None
        return EditResult((top + len(new) - 1, column), replaced)

    def get_text_range(self, start: Location, end: Location) -> str:
        """The text between two places, with its own line breaks."""
        (top, left), (bottom, right) = sorted((self._clamped(start), self._clamped(end)))
        if top == bottom:
            return self._lines[top][left:right]
        pieces = [self._lines[top][left:], self._breaks[top]]
        for row in range(top + 1, bottom):
            pieces += (self._lines[row], self._breaks[row])
        return "".join((*pieces, self._lines[bottom][:right]))

    def get_index_from_location(self, location: Location) -> int:
        """Where in the text a place is."""
        row, column = self._clamped(location)
        return self._line_starts()[row] + column

    def get_location_from_index(self, index: int) -> Location:
        """The place of a character of the text; inside a line break, the end of its line."""
        starts = self._line_starts()
        row = max(bisect_right(starts, index) - 1, 0)
        return row, min(index - starts[row], len(self._lines[row]))

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0]
            for line, found in zip(self._lines, self._breaks, strict=False):
                self._starts.append(self._starts[-1] + len(line) + len(found))
        return self._starts

    def _clamped(self, location: Location) -> Location:
        row, column = location
        if row >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return max(row, 0), max(min(column, len(self._lines[row])), 0)


def _usual(breaks: list[str]) -> Newline:
    counted = Counter(breaks)
    usual: tuple[Newline, ...] = ("\n", "\r\n", "\r")
    return max(usual, key=lambda each: counted[each])
