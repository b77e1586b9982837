"""A document's lines as strips for the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from tui.document.lines import NO_LINK, Line, Run, Runs, cut, runs_length
from tui.document.roles import Role, Roles

WIDEST_TEXT = 88
_NARROW = 44


@dataclass(frozen=True, slots=True)
class Overlay:
    """A range of a line's characters that looks otherwise for now."""

    start: int
    end: int
    role: Role | None


@dataclass(frozen=True, slots=True)
class Measure:
    """Where the text stands in a window of `width` cells: in the middle, never too wide to read."""

    width: int

    @property
    def text(self) -> int:
        """The cells of a line of text."""
        side = 1 if self.width < _NARROW else 3
        return max(min(self.width - 2 * side, WIDEST_TEXT), 1)

    @property
    def left(self) -> int:
        """The cells before it."""
        return max((self.width - self.text) // 2, 0)


class Palette:
    """The styles of roles, one above the other, as the theme has them now."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._known: dict[Roles, Style] = {}

    def forget(self) -> None:
        """The theme changed."""
        self._known.clear()

    def style(self, roles: Roles) -> Style:
        """The style of all the roles together, the last one counting most."""
        found = self._known.get(roles)
        if found is None:
            found = self._widget.rich_style
            for role in roles:
                name = f"document--{role}"
                found += self._widget.get_component_rich_style(name, partial=True)
            self._known[roles] = found
        return found


def paint(
    line: Line, measure: Measure, palette: Palette, overlays: Sequence[Overlay], selected: Style
) -> list[Segment]:
    """The segments of a line from its first character on, to the end of the text's measure."""
    ground: Roles = (line.ground,) if line.ground else ()
    segments = []
    cells = 0
    for run, roles, is_selected in _pieces(line.runs, overlays):
        style = palette.style((*ground, *roles))
        segments.append(Segment(run.text, style + selected if is_selected else style))
        cells += cell_len(run.text)
    if ground and cells < measure.text:
        segments.append(Segment(" " * (measure.text - cells), palette.style(ground)))
    return segments


def blank(width: int, palette: Palette) -> Strip:
    """A line below the end."""
    return Strip([Segment(" " * width, palette.style(()))], width)


def framed(
    segments: Iterable[Segment], gutter: str, measure: Measure, palette: Palette, y: int
) -> Strip:
    """A line of the window: the text between its margins, its characters numbered for selecting."""
    left = gutter.rjust(measure.left)[: measure.left]
    before = Strip([Segment(left, palette.style((Role.QUIET,)))], measure.left)
    text = Strip(list(segments)).apply_offsets(0, y)
    whole = Strip([*before, *text])
    return whole.adjust_cell_length(measure.width, palette.style(()))


def stamped(line: Line, at: int, label: str) -> Line:
    """The line with a label over its characters from `at` on, everything else in its place."""
    covered, cells = at, 0
    text = line.text
    while covered < len(text) and cells < len(label):
        cells += cell_len(text[covered])
        covered += 1
    shown = label + " " * max(cells - len(label), 0)
    runs = (
        *cut(line.runs, 0, at),
        Run(shown, (Role.HINT,)),
        *cut(line.runs, covered, runs_length(line.runs)),
    )
    return replace(line, runs=runs)


def link_at(line: Line, cell: int) -> int:
    """The link under a cell of the line, or NO_LINK."""
    done = 0
    for run in line.runs:
        done += cell_len(run.text)
        if cell < done:
            return run.link if cell >= 0 else NO_LINK
    return NO_LINK


def _pieces(runs: Runs, overlays: Sequence[Overlay]) -> Iterator[tuple[Run, Roles, bool]]:
    done = 0
    for run in runs:
        start, end = done, done + len(run.text)
        done = end
        touching = [each for each in overlays if each.start < end and each.end > start]
        if not touching:
            yield run, run.roles, False
            continue
        edges = {start, end}
        for each in touching:
            edges |= {max(each.start, start), min(each.end, end)}
        places = sorted(edges)
        for first, last in itertools.pairwise(places):
            over = [each for each in touching if each.start < last and each.end > first]
            roles = tuple(each.role for each in over if each.role is not None)
            is_selected = any(each.role is None for each in over)
            piece = Run(run.text[first - start : last - start], run.roles, run.link)
            yield piece, (*run.roles, *roles), is_selected
