"""When an answer counts as going round in circles."""

import pytest

from engine.worker.circling import CHECK_EVERY, FEWEST_TOKENS, LONGEST_ROUND, CircleDetector


def noticed_after(tokens: list[int]) -> int | None:
    detector = CircleDetector()
    for place, token in enumerate(tokens, 1):
        if detector.is_circling_after(token):
            return place
    return None


@pytest.mark.parametrize("period", [1, 2, 7, 25, 63, LONGEST_ROUND])
def test_a_round_is_noticed_soon_after_it_has_come_often_enough(period: int) -> None:
    start = list(range(1000, 1050))
    place = noticed_after(start + list(range(period)) * 600)
    assert place is not None
    assert place <= len(start) + max(8 * period, FEWEST_TOKENS) + CHECK_EVERY


@pytest.mark.parametrize(
    "tokens",
    [
        list(range(5000)),
        [7] * (FEWEST_TOKENS - 10) + list(range(5000)),
        list(range(LONGEST_ROUND + 1)) * 40,
        [token for n in range(400) for token in (1, 2, 3, n)],
    ],
    ids=["all different", "a short run", "a long round", "a counter in it"],
)
def test_other_answers_go_on(tokens: list[int]) -> None:
    assert noticed_after(tokens) is None
