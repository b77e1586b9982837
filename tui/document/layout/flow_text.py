"""Runs of text in lines of a width, with a margin before each."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.cells import cell_len

from tui.document.lines import (
    Laid,
    Line,
    Margin,
    Run,
    Runs,
    Wide,
    cut,
    narrowed,
    runs_cells,
    runs_length,
)
from tui.document.roles import Role
from tui.document.targets import Target
from tui.document.wrap import Span, wrap
from tui.pictures.source import PictureRow

# A margin leaves this many cells for the text, or two thirds of the line.
LEAST_TEXT_CELLS = 12


def fitted(margin: Margin, width: int) -> Margin:
    """The margin, cut where it would leave too little room."""
    room = max(width - LEAST_TEXT_CELLS, width // 3)
    if runs_cells(margin.first) <= room and runs_cells(margin.rest) <= room:
        return margin
    first, rest, gap = (narrowed(each, room) for each in (margin.first, margin.rest, margin.gap))
    return Margin(first, rest, gap)


@dataclass(slots=True)
class Sheet:
    """Lines under way. What is written on it becomes the block's text, in order.

    `widest` is set by what may be wider than the text.
    """

    width: int
    margin: Margin
    ground: Role | None = None
    lines: list[Line] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    is_begun: bool = False
    widest: int = 0

    @property
    def text_width(self) -> int:
        """The cells that are left for text."""
        taken = max(runs_cells(self.margin.first), runs_cells(self.margin.rest))
        return max(self.width - taken, 1)

    def gap(self, count: int) -> None:
        """Blank lines before the block."""
        runs = narrowed(self.margin.gap, self.width)
        self.lines += [Line(runs, runs_length(runs))] * count

    def write(self, runs: Runs, hanging: Runs = (), before: Runs = ()) -> None:
        """Text, wrapped; `before` stands on its first line and `hanging` on the others."""
        text = "".join(run.text for run in runs)
        if self.text_width < LEAST_TEXT_CELLS:
            before, hanging = (narrowed(each, self.text_width // 2) for each in (before, hanging))
        first = self.margin.rest if self.is_begun else self.margin.first
        on_first = runs_cells(first) + runs_cells(before)
        on_others = runs_cells(self.margin.rest) + runs_cells(hanging)
        room = max(self.width - max(on_first, on_others), 1)
        self.write_spans(text, runs, wrap(text, room), before, hanging)

    def write_spans(
        self, text: str, runs: Runs, spans: list[Span], before: Runs = (), hanging: Runs = ()
    ) -> None:
        """Text broken into these lines."""
        offset = self._say(text)
        for number, (first, last) in enumerate(spans):
            inner = before if number == 0 else hanging
            margin = (*self._next_margin(), *inner)
            line = (*margin, *cut(runs, first, last))
            self.lines.append(Line(line, runs_length(margin), offset + first, self.ground))

    def draw(self, runs: Runs) -> None:
        """A line that is decoration from end to end."""
        line = (*self._next_margin(), *runs)
        self.lines.append(Line(line, runs_length(line), self.length, self.ground))

    def draw_picture(self, picture: PictureRow) -> None:
        """A line of a picture."""
        margin = self._next_margin()
        runs = (*margin, Run(" " * picture.columns))
        length = runs_length(runs)
        self.lines.append(Line(runs, length, self.length, self.ground, picture))

    def laid(self) -> Laid:
        """What was written."""
        fixed = runs_length(self.margin.rest)
        is_wide = self.widest > self.text_width
        wide = Wide(self.widest, self.text_width, fixed) if is_wide else None
        return Laid(tuple(self.lines), tuple(self.targets), "\n".join(self.pieces), wide)

    def add_target(self, target: Target) -> int:
        """A place for something to choose."""
        self.targets.append(target)
        return len(self.targets) - 1

    def _say(self, text: str) -> int:
        offset = self.length + bool(self.pieces)
        self.pieces.append(text)
        self.length = offset + len(text)
        return offset

    def _next_margin(self) -> Runs:
        margin = self.margin.rest if self.is_begun else self.margin.first
        self.is_begun = True
        return margin


def rule(character: str, cells: int, role: Role = Role.RULE) -> Runs:
    """A line of one character."""
    return (Run(character * cells, (role,)),)


def ends(left: Runs, right: Runs, cells: int) -> Runs:
    """Two texts at both ends of a line; the right one only where there is room."""
    room = cells - runs_cells(left) - runs_cells(right)
    return (*left, Run(" " * room), *right) if room > 0 else left


def elided(text: str, cells: int) -> str:
    """A text cut to cells."""
    from tui.text.width import elide

    return text if cell_len(text) <= cells else elide(text, cells)
