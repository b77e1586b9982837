"""What is copied, and how many tokens at a time. Plain Python."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plan.transient import MOST_DRAFTED
from engine.worker.drafts.lookup import SHORTEST_MATCH, Lookup
from engine.worker.drafts.pace import Pace, PassCosts


def lookup_of(tokens: Sequence[int]) -> Lookup:
    lookup = Lookup()
    lookup.extend(tokens)
    return lookup


@pytest.mark.parametrize(
    ("tokens", "length", "drafted"),
    [
        ([], 0, []),
        ([1], 0, []),
        ([1, 2, 3], 0, []),
        ([1, 2, 3, 1], 0, []),
        ([1, 2, 3, 1, 2], 2, [3, 1, 2, 3]),
        ([1, 2, 3, 4, 9, 1, 2, 3], 3, [4, 9, 1, 2]),
        # The longest match wins over the last one.
        ([5, 1, 2, 3, 9, 1, 2, 4, 9, 5, 1, 2], 3, [3, 9, 1, 2]),
        # Of equally long ones the last one wins.
        ([7, 1, 2, 3, 8, 1, 2, 4, 6, 1, 2], 2, [4, 6, 1, 2]),
        ([0, 0, 0], 2, [0, 0, 0, 0]),
    ],
)
def test_what_followed_before_is_drafted(
    tokens: list[int], length: int, drafted: list[int]
) -> None:
    lookup = lookup_of(tokens)
    match = lookup.find()
    assert (match.length if match else 0) == length
    if match:
        assert lookup.draft(match, 4) == drafted


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 20))
def test_a_draft_is_a_continuation_of_an_earlier_occurrence(tokens: list[int], count: int) -> None:
    lookup = lookup_of(tokens)
    match = lookup.find()
    occurs = any(
        tokens[at : at + SHORTEST_MATCH] == tokens[-SHORTEST_MATCH:]
        for at in range(len(tokens) - SHORTEST_MATCH)
    )
    assert (match is not None) == (occurs and len(tokens) > SHORTEST_MATCH)
    if match is None:
        return
    assert tokens[match.at - match.length : match.at] == tokens[-match.length :]
    drafted = lookup.draft(match, count)
    assert len(drafted) == count
    repeated = tokens[match.at :] + drafted
    assert drafted == repeated[:count]


def test_copying_goes_on_where_it_was_though_the_text_says_the_same_elsewhere() -> None:
    page = [1, 2, 10, 1, 2, 11, 1, 2, 12]
    lookup = lookup_of([*page, *[1, 2, 13] * 20, 99, 1, 2, 10])
    match = lookup.find()
    assert match is not None
    for token in lookup.draft(match, 3):
        lookup.extend([token])
    again = lookup.find()
    assert again is not None
    assert lookup.draft(again, 3) == page[6:]


class Counted(int):
    """A token that counts how often it is compared."""

    comparisons = 0

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        Counted.comparisons += 1
        return super().__ne__(other)


@pytest.mark.parametrize("period", [1, 2, 150])
def test_a_token_costs_the_same_however_long_and_repetitive_the_text_is(period: int) -> None:
    lookup, costs = Lookup(), []
    for token in range(3000):
        Counted.comparisons = 0
        lookup.extend([Counted(token % period)])
        lookup.find()
        costs.append(Counted.comparisons)
    assert max(costs[2000:]) <= max(costs[:1000]) <= 1200


def costs_of(slope: float) -> PassCosts:
    """Costs measured on a machine where each drafted token adds so much to a pass."""
    costs = PassCosts()
    for _ in range(7):
        costs.note_single(0.02)
        for drafted in (1, 3, 7, 15):
            costs.note_check(drafted, 0.02 * (1 + slope * drafted))
    return costs


def run(pace: Pace, is_right: bool, chances: int) -> tuple[int, int]:
    """How many tokens were drafted and tried at so many chances."""
    drafted = tried = 0
    for _ in range(chances):
        if pace.has_turn() and (count := pace.length(MOST_DRAFTED)):
            pace.note(count, count if is_right else 0)
            drafted, tried = drafted + count, tried + 1
    return drafted, tried


def test_drafts_grow_while_they_are_right_and_stop_where_they_are_wrong() -> None:
    right = Pace(costs_of(0.1), 0.65)
    assert run(right, is_right=True, chances=10)[0] > 10 * MOST_DRAFTED / 2
    assert right.length(MOST_DRAFTED) == MOST_DRAFTED
    assert right.length(2) == 2
    wrong = Pace(costs_of(0.1), 0.65)
    drafted, tried = run(wrong, is_right=False, chances=1000)
    assert 3 <= tried < 40
    assert drafted < 2 * tried + 20


def test_what_was_given_up_is_tried_again_and_taken_up_when_it_is_right() -> None:
    pace = Pace(costs_of(0.1), 0.4)
    run(pace, is_right=False, chances=300)
    assert not pace.length(MOST_DRAFTED) or pace.length(MOST_DRAFTED) == 1
    drafted, tried = run(pace, is_right=True, chances=300)
    assert drafted > 3 * tried > 30


def test_checks_that_cost_as_much_as_the_tokens_are_not_made() -> None:
    pace = Pace(costs_of(1.0), 0.85)
    _, tried = run(pace, is_right=True, chances=400)
    assert tried < 30


def test_costs_are_those_measured_and_a_straight_line_between() -> None:
    costs = PassCosts()
    assert 1 < costs.of(1) < costs.of(8)
    costs.note_check(4, 9.0)
    assert costs.of(4) < 2, "without a single pass nothing can be compared"
    costs.note_single(1.0)
    for seconds in (2.0, 2.0, 60.0):
        costs.note_check(4, seconds)
    assert costs.of(4) == 2.0
    assert costs.of(2) == 1.5
    assert costs.of(8) == 3.0
