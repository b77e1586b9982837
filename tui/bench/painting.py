"""Reads what a program painted out of the bytes it sent to its terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence

ALTERNATE_SCREEN = b"\x1b[?1049h"

# Titles, queries and the like carry text that is never painted; the last may still be on its way.
_STRINGS = re.compile(rb"\x1b[\]P_^X].*?(?:\x1b\\|\x07|\Z)", re.DOTALL)
_COLOURS = re.compile(rb"\x1b\[[\d;:]*m")
_OTHERS = re.compile(rb"\x1b\[[\x20-\x3f]*[\x40-\x7e]?|\x1b[\x20-\x2f]*[\x30-\x7e]?")


def painted_text(output: bytes) -> str:
    """The text painted in the alternate screen; a cursor movement breaks the line.

    Empty while the program has not entered that screen.
    """
    _, _, painted = output.partition(ALTERNATE_SCREEN)
    plain = _OTHERS.sub(b"\n", _COLOURS.sub(b"", _STRINGS.sub(b"", painted)))
    return plain.decode("utf-8", "ignore")


def first_painted(pieces: Sequence[tuple[float, bytes]], marks: Sequence[str]) -> float | None:
    """Seconds after which every mark had been painted, or None while one is missing."""
    output = b""
    for seconds, piece in pieces:
        output += piece
        text = painted_text(output)
        if all(mark in text for mark in marks):
            return seconds
    return None
