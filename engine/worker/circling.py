"""Notices an answer that goes round in circles, as small models' do."""

from __future__ import annotations

from collections import deque

LONGEST_ROUND = 64
FEWEST_ROUNDS = 8
FEWEST_TOKENS = 200
CHECK_EVERY = 32


class CircleDetector:
    """Fed each token; tells when the last FEWEST_TOKENS or more are one short run over and over."""

    def __init__(self) -> None:
        self._recent: deque[int] = deque(maxlen=LONGEST_ROUND * FEWEST_ROUNDS)
        self._seen = 0

    def is_circling_after(self, token: int) -> bool:
        """Take the next token; looks only every CHECK_EVERY tokens."""
        self._recent.append(token)
        self._seen += 1
        if self._seen % CHECK_EVERY or self._seen < FEWEST_TOKENS:
            return False
        tokens = list(self._recent)
        return any(_repeats(tokens, period) for period in range(1, LONGEST_ROUND + 1))


def _repeats(tokens: list[int], period: int) -> bool:
    needed = max(period * FEWEST_ROUNDS, FEWEST_TOKENS)
    if len(tokens) < needed:
        return False
    tail = tokens[-needed:]
    return tail[period:] == tail[:-period]
