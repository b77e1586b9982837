"""The arithmetic of figures: medians, ratios, bounds, exit codes."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.bench.figures import (
    BenchFault,
    BenchResult,
    CouldNotRun,
    Direction,
    Measured,
    Pair,
    Target,
    compared,
    exit_code,
    sampled,
)

speeds = st.floats(min_value=0.01, max_value=1e6)
MET, MISSED = Target(2.0, "at least"), Target(2.0, "at most")


@pytest.mark.parametrize(
    ("direction", "value", "is_met"),
    [
        ("at least", 2.0, True),
        ("at least", 1.999, False),
        ("at least", 3.0, True),
        ("at most", 2.0, True),
        ("at most", 2.001, False),
        ("at most", 0.1, True),
        ("at least", float("nan"), False),
        ("at most", float("nan"), False),
    ],
)
def test_target_is_a_bound_in_one_direction(
    direction: Direction, value: float, is_met: bool
) -> None:
    assert Target(2.0, direction).is_met_by(value) is is_met


@given(st.lists(st.tuples(st.lists(speeds, min_size=1, max_size=3), speeds), min_size=1))
def test_ratio_is_the_median_of_the_pairs(sides: list[tuple[list[float], float]]) -> None:
    pairs = [Pair(tuple(ours), theirs) for ours, theirs in sides]
    figure = compared("speed", pairs, "tok/s", Target(1.0, "at least"))
    ratios = [median(ours) / theirs for ours, theirs in sides]
    assert figure.measured == median(ratios)
    assert figure.passes is (median(ratios) >= 1.0)
    assert figure.pairs == tuple(pairs)


def test_one_slow_moment_does_not_decide() -> None:
    pairs = [Pair((20.0, 1.0, 22.0), 8.0), Pair((24.0,), 8.0), Pair((1.0,), 8.0)]
    assert compared("speed", pairs, "tok/s", MET).measured == 2.5


@given(st.lists(speeds, min_size=1))
def test_sample_is_the_median_of_the_runs(runs: list[float]) -> None:
    figure = sampled("time", "s", runs, Target(0.5, "at most"))
    assert figure.measured == median(runs)
    assert figure.passes is (median(runs) <= 0.5)


@pytest.mark.parametrize(
    "pairs", [[], [Pair((0.0,), 1.0)], [Pair((1.0,), 0.0)], [Pair((1.0, 0.0), 2.0)]]
)
def test_no_ratio_without_two_moving_sides(pairs: list[Pair]) -> None:
    with pytest.raises(BenchFault, match="speed"):
        compared("speed", pairs, "tok/s", MET)


def test_no_figure_without_runs() -> None:
    with pytest.raises(BenchFault, match="time"):
        sampled("time", "s", [], MISSED)


GOOD = Measured("good", (sampled("a", "s", [2.0], MET),), 1.0)
SHORT = Measured("short", (sampled("a", "s", [2.0], MET), sampled("b", "s", [3.0], MISSED)), 1.0)
ABSENT = CouldNotRun("absent", "There is no model.", 1.0)


@pytest.mark.parametrize(
    ("results", "code"),
    [
        ([GOOD], 0),
        ([GOOD, GOOD], 0),
        ([SHORT], 1),
        ([GOOD, SHORT], 1),
        ([ABSENT], 1),
        ([GOOD, ABSENT], 1),
        ([], 1),
    ],
)
def test_exit_code_is_zero_only_when_all_is_measured_and_met(
    results: list[BenchResult], code: int
) -> None:
    assert exit_code(results) == code
