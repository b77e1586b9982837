"""Lines that are wider than the text: the part of each that is in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.cells import cell_len, split_graphemes

from tui.document.lines import Line, Wide, cut, runs_length


def part_in_sight(line: Line, wide: Wide, shift: int) -> Line:
    """The line moved to the left by `shift` cells; its text begins that much later."""
    length = runs_length(line.runs)
    kept = list(cut(line.runs, 0, wide.fixed))
    passed = skipped = taken = 0
    for run in cut(line.runs, wide.fixed, length):
        shown: list[str] = []
        for text, cells in _pieces(run.text):
            begin = passed
            passed += cells
            if begin >= shift and passed <= shift + wide.room:
                shown.append(text)
                taken += len(text)
            elif passed > shift and begin < shift + wide.room:
                # Half of a wide character: as many blanks keep the columns in line.
                blank = min(passed, shift + wide.room) - max(begin, shift)
                shown.append(" " * blank)
                taken += blank
            elif not taken:
                skipped += len(text)
        if shown:
            kept.append(replace(run, text="".join(shown)))
    is_decoration = line.margin >= length
    margin = runs_length(kept) if is_decoration else line.margin
    return Line(tuple(kept), margin, line.start + (0 if is_decoration else skipped), line.ground)


def cells_before(line: Line, fixed: int, character: int) -> int:
    """The cell that a character of a line begins on, behind what stays."""
    return sum(cell_len(run.text) for run in cut(line.runs, fixed, character))


def shift_to_show(shift: int, wide: Wide, first: int, last: int) -> int:
    """The shift that brings some cells into sight, as little changed as can be."""
    if first < shift:
        return first
    if last > shift + wide.room:
        return min(max(last - wide.room, 0), first)
    return shift


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    if text.isascii():
        yield from ((character, 1) for character in text)
        return
    for first, end, cells in split_graphemes(text)[0]:
        yield text[first:end], cells
