"""Chooses how much of which passages is shown within a number of tokens."""

from collections.abc import Sequence

_FOR_MANY = 0.85
"""The share of the budget for many pages in few words; the rest is for more of the best ones."""

_FOR_FIRST = 0.35
"""The share that the best passage may take before others have their few words."""

_DEPTHS = ((0, 2), (1, 1), (2, 1), (1, 2), (3, 1), (4, 1), (2, 2))
"""Which excerpt grows to which size, in this order."""


def fit(costs: Sequence[Sequence[int]], budget: int) -> tuple[int | None, ...]:
    """Which of its sizes each passage has, the best passage first; None is left out.

    `costs` are the tokens of each size of each passage, from the shortest to the longest. What is
    chosen costs at most the budget.
    """
    chosen: list[int | None] = [None] * len(costs)
    left = budget

    def take(place: int, size: int, most: int) -> None:
        nonlocal left
        if place >= len(costs) or not costs[place]:
            return
        size = min(size, len(costs[place]) - 1)
        before = chosen[place]
        if before is not None and before >= size:
            return
        more = costs[place][size] - (0 if before is None else costs[place][before])
        if more <= min(left, most):
            chosen[place] = size
            left -= more

    take(0, 1, round(_FOR_FIRST * budget))
    take(0, 0, budget)
    for place in range(1, len(costs)):
        take(place, 0, left - round((1 - _FOR_MANY) * budget))
    for place, size in _DEPTHS:
        take(place, size, left)
    for place in range(len(costs)):
        take(place, 0, left)
    for place in range(len(costs)):
        take(place, 1, left)
    return tuple(chosen)
