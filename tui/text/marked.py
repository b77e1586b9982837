"""Foreign text on one line with places marked in it: what a search found."""

from collections.abc import Iterable

from rich.cells import cell_len
from textual.content import Content

from tui.text.line import clean_line, to_line
from tui.text.width import elide

MATCH = "$match-text on $match-background"
_LONGEST = 4000


def marked_line(
    text: str, spans: Iterable[tuple[int, int]], cells: int | None = None, style: str = MATCH
) -> Content:
    """A name or a snippet on one line, at most `cells` wide; `spans` are places in `text`."""
    text = text[:_LONGEST]
    pieces: list[Content] = []
    done = 0
    for start, end in sorted(spans):
        first, last = max(start, done), min(end, len(text))
        if first < last:
            pieces.append(Content(clean_line(text[done:first])))
            pieces.append(Content(clean_line(text[first:last])).stylize(style))
            done = last
    if not done:
        return Content(to_line(text, cells))
    line = Content("").join([*pieces, Content(clean_line(text[done:]))])
    return line if cells is None else elided(line, cells)


def elided(line: Content, cells: int) -> Content:
    """The line, or its beginning and an ellipsis, at most `cells` wide."""
    plain = line.plain
    shown = elide(plain, cells)
    if shown == plain:
        return line
    return Content.assemble(line[: len(shown) - 1], shown[-1:]) if shown else Content("")


def between(left: Content, right: Content, cells: int, gap: int = 2) -> Content:
    """Two texts at the ends of a line of `cells`; the right one goes where it would not fit."""
    room = cells - cell_len(right.plain) - gap
    if not right.plain or room < min(cell_len(left.plain), cells // 2):
        return padded(elided(left, cells), cells)
    return Content.assemble(padded(elided(left, room), room), " " * gap, right)


def padded(line: Content, cells: int) -> Content:
    """The line with blanks to its right, `cells` wide if it was not wider."""
    return Content.assemble(line, " " * max(0, cells - cell_len(line.plain)))
