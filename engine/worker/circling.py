"""Notices an answer that goes round in circles, as small models' do."""

from __future__ import annotations

from collections import deque

LONGEST_ROUND = 64
FEWEST_ROUNDS = 8
FEWEST_TOKENS = 200
CHECK_EVERY = 32
FORM_PATIENCE = 5
"""A table may rightly have hundreds of equal rows."""
CIRCLES = (
    "The answer went round in circles and was stopped. Ask in other words, or choose a larger "
    "model."
)


class CircleDetector:
    """Fed each token; tells when the last FEWEST_TOKENS or more are one short run over and over.

    `patience` multiplies how often a run must come: what is held to a form may rightly repeat.
    """

    def __init__(self, patience: int = 1) -> None:
        self._rounds, self._tokens = FEWEST_ROUNDS * patience, FEWEST_TOKENS * patience
        self._recent: deque[int] = deque(maxlen=LONGEST_ROUND * self._rounds)
        self._seen = 0

    def is_circling_after(self, token: int) -> bool:
        """Take the next token; looks only every CHECK_EVERY tokens."""
        self._recent.append(token)
        self._seen += 1
        if self._seen % CHECK_EVERY or self._seen < self._tokens:
            return False
        tokens = list(self._recent)
        return any(self._repeats(tokens, period) for period in range(1, LONGEST_ROUND + 1))

    def _repeats(self, tokens: list[int], period: int) -> bool:
        needed = max(period * self._rounds, self._tokens)
        if len(tokens) < needed:
            return False
        tail = tokens[-needed:]
        return tail[period:] == tail[:-period]
