"""What a bench measured beside what it should have measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, assert_never

Direction = Literal["at least", "at most"]


class BenchFault(Exception):
    """A bench could not run; `str()` is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Target:
    """The bound a figure must keep; `note` says where it comes from when that needs saying."""

    bound: float
    direction: Direction
    note: str = ""

    def is_met_by(self, value: float) -> bool:
        """Whether the value keeps the bound; something that is not a number never does."""
        match self.direction:
            case "at least":
                return value >= self.bound
            case "at most":
                return value <= self.bound
            case _:
                assert_never(self.direction)


@dataclass(frozen=True, slots=True)
class Pair:
    """One turn of both sides. Ours is the median of several short runs around theirs."""

    ours_runs: tuple[float, ...]
    theirs: float

    @property
    def ours(self) -> float:
        """Our side of the ratio."""
        return median(self.ours_runs)

    @property
    def ratio(self) -> float:
        """How many times the other side's value ours is."""
        return self.ours / self.theirs


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure: the median of its runs.

    `pairs` holds both sides, in `side_unit`, of a figure that is a ratio; else it is empty.
    """

    name: str
    unit: str
    runs: tuple[float, ...]
    target: Target
    pairs: tuple[Pair, ...] = ()
    side_unit: str = ""
    note: str = ""

    @property
    def measured(self) -> float:
        """The figure itself."""
        return median(self.runs)

    @property
    def passes(self) -> bool:
        """Whether the target is met."""
        return self.target.is_met_by(self.measured)


def sampled(name: str, unit: str, runs: Sequence[float], target: Target, note: str = "") -> Figure:
    """A figure with a unit of its own. Raises BenchFault without runs."""
    if not runs:
        raise BenchFault(f"No run of “{name}” was completed.")
    return Figure(name, unit, tuple(runs), target, note=note)


def compared(
    name: str, pairs: Sequence[Pair], side_unit: str, target: Target, note: str = ""
) -> Figure:
    """A ratio, ours over theirs. Raises BenchFault without pairs or when a side stands still."""
    if not pairs:
        raise BenchFault(f"No pair of “{name}” was completed.")
    if any(min(*pair.ours_runs, pair.theirs) <= 0 for pair in pairs):
        raise BenchFault(f"A side of “{name}” measured nothing, so there is no ratio.")
    ratios = tuple(pair.ratio for pair in pairs)
    return Figure(name, "x", ratios, target, tuple(pairs), side_unit, note)


@dataclass(frozen=True, slots=True)
class Measured:
    """A bench that ran, `seconds` long.

    `others_percent` is how much of the processor other programs took just before it.
    """

    bench: str
    figures: tuple[Figure, ...]
    seconds: float
    others_percent: float = 0.0

    @property
    def passes(self) -> bool:
        """Whether every figure meets its target."""
        return all(figure.passes for figure in self.figures)


@dataclass(frozen=True, slots=True)
class CouldNotRun:
    """A bench that gave no figures, which counts as a failure."""

    bench: str
    reason: str
    seconds: float

    @property
    def passes(self) -> Literal[False]:
        """Never."""
        return False


BenchResult = Measured | CouldNotRun


def exit_code(results: Sequence[BenchResult]) -> int:
    """0 when every figure of every bench meets its target; 1 otherwise, also without results."""
    return 0 if results and all(result.passes for result in results) else 1
