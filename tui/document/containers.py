"""What a block is nested in while a page is read: margins to draw, groups that fold."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from tui.document.lines import Margin, Run, Runs, runs_cells
from tui.document.roles import Role

_BULLETS = "•◦▪"


@dataclass(slots=True)
class Level:
    """A list item, quote or footnote. Its first block has `first`, all others have `rest`."""

    first: Runs
    rest: Runs
    mark: str = ""
    is_used: bool = False
    group: int | None = None


@dataclass(slots=True)
class Containers:
    """The levels around the next block, from the outermost one on."""

    levels: list[Level] = field(default_factory=list)

    def margin(self) -> Margin:
        """The margin of the next block."""
        return Margin(
            tuple(
                run for each in self.levels for run in (each.rest if each.is_used else each.first)
            ),
            tuple(run for each in self.levels for run in each.rest),
            tuple(run for each in self.levels if each.is_used for run in each.rest),
        )

    def mark(self) -> str:
        """What stands before the next block in copied text."""
        marks = [each.mark if not each.is_used else " " * len(each.mark) for each in self.levels]
        return "".join(marks)

    def use(self) -> None:
        """The next block was made."""
        for each in self.levels:
            each.is_used = True

    @property
    def groups(self) -> tuple[int, ...]:
        """The groups the levels fold with."""
        return tuple(each.group for each in self.levels if each.group is not None)


class GroupIds:
    """Numbers for what folds, each given once; `folded` are those that begin folded."""

    def __init__(self) -> None:
        self._next = itertools.count()
        self.folded: set[int] = set()

    def take(self) -> int:
        """The next number."""
        return next(self._next)


def item_level(number: str, width: int, depth: int) -> Level:
    """A list item: with a bullet when `number` is empty, else right-aligned to `width`."""
    sign = number.rjust(width) if number else _BULLETS[(depth - 1) % len(_BULLETS)]
    first = (Run(f"{sign} ", (Role.BULLET,)),)
    return Level(first, _blank(first), f"{number} " if number else "- ")


def task_level() -> Level:
    """A list item whose box stands where its bullet would."""
    return Level((), (Run("  "),), "- ")


def quote_level(role: Role, group: int | None = None) -> Level:
    """A quote or a callout: a bar all the way down."""
    bar = (Run("▎ ", (role,)),)
    return Level(bar, bar, "> ", group=group)


def note_level(sign: str, id: str) -> Level:
    """A footnote."""
    first = (Run(f"{sign} ", (Role.NOTE,)),)
    return Level(first, _blank(first), f"[^{id}]: ")


def _blank(runs: Runs) -> Runs:
    return (Run(" " * runs_cells(runs)),)
