"""Breaks text into lines by cells: at spaces, and beside characters of East Asian scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import split_graphemes

Span = tuple[int, int]

# Characters that take one cell each, whatever is beside them.
_ALL_NARROW = re.compile(
    "[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc]*"
)
_WORD = re.compile("[^ ]+")
_BREAK_AFTER = " \u200b"
_NOT_AT_START = frozenset("、。，．：；！？）」』】》〉〕｝…—～·ー々％,.:;!?)]}%»”’")
_NOT_AT_END = frozenset("（「『【《〈〔｛([{«“‘")


def wrap(text: str, width: int) -> list[Span]:
    """The lines as ranges of characters, the spaces they were broken at left out.

    A line break always breaks. Nothing is wider than `width` but a single character that is.
    """
    width = max(width, 1)
    spans: list[Span] = []
    start = 0
    for part in text.split("\n"):
        broken = _narrow(part, width) if _ALL_NARROW.fullmatch(part) else _wide(part, width)
        spans += ((start + first, start + last) for first, last in broken)
        start += len(part) + 1
    return spans


def _narrow(text: str, width: int) -> Iterator[Span]:
    """The same for text in which every character is a cell."""
    start = end = 0
    for word in _WORD.finditer(text):
        if word.end() - start > width:
            if end > start:
                yield start, end
                start = word.start()
            while word.end() - start > width:
                yield start, start + width
                start += width
        end = word.end()
    yield start, max(start, end)


def _wide(text: str, width: int) -> Iterator[Span]:
    start = used = 0
    chance, used_at_chance = 0, 0
    before, was_wide = " ", False
    for first, end, cells in split_graphemes(text)[0]:
        character = text[first:end]
        is_wide = cells > 1
        if before in _BREAK_AFTER or (
            (is_wide or was_wide) and text[first] not in _NOT_AT_START and before not in _NOT_AT_END
        ):
            chance, used_at_chance = first, used
        if character != " ":
            while used and used + cells > width:
                if chance <= start:
                    chance, used_at_chance = first, used
                yield start, start + len(text[start:chance].rstrip(" "))
                start, used = chance, used - used_at_chance
                used_at_chance = 0
        used += cells
        before, was_wide = text[end - 1], is_wide
    yield start, start + len(text[start:].rstrip(" "))
