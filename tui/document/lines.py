"""Lines as they stand on the screen, each of runs of text that look alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from tui.document.roles import Role, Roles
from tui.document.targets import Target
from tui.pictures.source import PictureRow

NO_LINK = -1


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a line; `link` is a place in the targets of its block, or NO_LINK."""

    text: str
    roles: Roles = ()
    link: int = NO_LINK


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line. Its first `margin` characters are decoration, never copied and never found.

    What follows them is the block's text from `start` on. `ground` colours the line to its end.
    `picture` is drawn over what follows the margin, which is blank.
    """

    runs: Runs
    margin: int = 0
    start: int = 0
    ground: Role | None = None
    picture: PictureRow | None = None

    @property
    def text(self) -> str:
        """The characters of the line."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class Wide:
    """A block of `cells` where there is room for `room`; the first `fixed` characters stay."""

    cells: int
    room: int
    fixed: int

    @property
    def most(self) -> int:
        """How far it can be moved."""
        return max(self.cells - self.room, 0)


@dataclass(frozen=True, slots=True)
class Laid:
    """A block at one width: its lines, what can be chosen in it, and its text unwrapped.

    `wide` is that of a block with lines wider than the text.
    """

    lines: tuple[Line, ...]
    targets: tuple[Target, ...]
    text: str
    wide: Wide | None = None


@dataclass(frozen=True, slots=True)
class Margin:
    """What stands left of a block: on its first line, on the others, on the blank ones before."""

    first: Runs = ()
    rest: Runs = ()
    gap: Runs = ()


def runs_length(runs: Iterable[Run]) -> int:
    """How many characters they are."""
    return sum(len(run.text) for run in runs)


def runs_cells(runs: Iterable[Run]) -> int:
    """How many cells they take."""
    return sum(cell_len(run.text) for run in runs)


def cut(runs: Sequence[Run], start: int, end: int) -> Runs:
    """The characters from `start` to `end`."""
    found: list[Run] = []
    done = 0
    for run in runs:
        first, last = max(start - done, 0), min(end - done, len(run.text))
        done += len(run.text)
        if first < last:
            is_whole = first == 0 and last == len(run.text)
            found.append(run if is_whole else replace(run, text=run.text[first:last]))
        if done >= end:
            break
    return tuple(found)


def with_roles(runs: Iterable[Run], *roles: Role) -> Runs:
    """The runs with roles that count less than their own."""
    return tuple(replace(run, roles=(*roles, *run.roles)) for run in runs)


def narrowed(margin: Runs, cells: int) -> Runs:
    """A margin cut to a number of cells, so that something is left for the text."""
    if runs_cells(margin) <= cells:
        return margin
    found: list[Run] = []
    for run in margin:
        text = run.text
        while text and cell_len(text) > cells:
            text = text[:-1]
        cells -= cell_len(text)
        if text:
            found.append(replace(run, text=text))
        if len(text) < len(run.text):
            break
    return tuple(found)
