"""What Textual's text area computes of a long text at every row, made to cost what is shown."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Span, Text
from textual.document._wrapped_document import WrappedDocument

# Shorter lines are as quick to divide as a whole.
LONG_LINE = 2_000


class QuickWrappedDocument(WrappedDocument):
    """Knows its height without counting."""

    @property
    def height(self) -> int:
        """The rows of the wrapped text."""
        return len(self._offset_to_line_info)


class LongLine(Text):
    """A line of which only one section is drawn at a time."""

    def divide(self, offsets: Sequence[int]) -> _Sections:  # type: ignore[override]  # lazily
        """Its sections between offsets, made when they are asked for."""
        return _Sections(self, offsets)


class _Sections:
    """Of a line's sections the first one asked for is drawn, the others are only counted in."""

    def __init__(self, line: Text, offsets: Sequence[int]) -> None:
        self._line = line
        self._plain = line.plain
        self._borders = [0, *offsets, len(self._plain)]
        self._is_drawn = False

    def __getitem__(self, index: int) -> Text | _Counted:
        start, end = self._borders[index], self._borders[index + 1]
        if self._is_drawn:
            return _Counted(self._plain[start:end])
        self._is_drawn = True
        section = self._line.blank_copy(self._plain[start:end])
        section.spans = [
            Span(max(span.start, start) - start, min(span.end, end) - start, span.style)
            for span in self._line.spans
            if span.start < end and span.end > start
        ]
        return section


class _Counted:
    def __init__(self, plain: str) -> None:
        self.plain = plain
