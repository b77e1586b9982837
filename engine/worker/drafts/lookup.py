"""Drafts copied from the prompt and from the answer so far.

What the last tokens were followed by before is likely to follow again where a text is repeated,
quoted or edited. Plain Python, linear in the tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SHORTEST_MATCH = 2
"""Tokens that must have occurred before; a single one says too little."""
_LONGEST_MATCH = 64
_MOST_CANDIDATES = 16
"""Earlier occurrences that are compared: the last ones, and the one that was being copied."""


@dataclass(frozen=True, slots=True)
class Match:
    """The last `length` tokens occurred before; what followed them begins at `at`."""

    at: int
    length: int


class Lookup:
    """Grows with a row's tokens."""

    def __init__(self) -> None:
        self._tokens: list[int] = []
        # Where what followed a pair of tokens last begins, and where it began the time before.
        self._last: dict[tuple[int, int], int] = {}
        self._earlier: list[int] = []
        self._copied = 0

    def __len__(self) -> int:
        return len(self._tokens)

    def extend(self, tokens: Sequence[int]) -> None:
        """Take on the next tokens."""
        for token in tokens:
            self._add(token)

    def find(self) -> Match | None:
        """The earlier occurrence that shares most with the end of the tokens, if there is one."""
        best: Match | None = None
        for at in self._candidates():
            length = self._shared_before(at)
            if best is None or length > best.length:
                best = Match(at, length)
            if length == _LONGEST_MATCH:
                break
        return best if best is not None and best.length >= SHORTEST_MATCH else None

    def draft(self, match: Match, count: int) -> list[int]:
        """So many tokens as followed the match; a text that repeats itself goes on repeating."""
        self._copied = match.at
        end = len(self._tokens)
        drafted: list[int] = []
        for place in range(match.at, match.at + count):
            drafted.append(self._tokens[place] if place < end else drafted[place - end])
        return drafted

    def _add(self, token: int) -> None:
        place = len(self._tokens)
        if self._copied:
            self._copied = self._copied + 1 if self._tokens[self._copied] == token else 0
        if place >= SHORTEST_MATCH:
            pair = self._tokens[-2], self._tokens[-1]
            self._earlier.append(self._last.get(pair, 0))
            self._last[pair] = place
        else:
            self._earlier.append(0)
        self._tokens.append(token)

    def _candidates(self) -> list[int]:
        """Where what is likely to follow begins, the likeliest of equally long matches first."""
        if len(self._tokens) < SHORTEST_MATCH:
            return []
        candidates = [self._copied] if self._copied else []
        at = self._last.get((self._tokens[-2], self._tokens[-1]), 0)
        while at and len(candidates) < _MOST_CANDIDATES:
            candidates.append(at)
            at = self._earlier[at]
        return candidates

    def _shared_before(self, at: int) -> int:
        """How many tokens before `at` are those at the end."""
        tokens = self._tokens
        longest = min(at, _LONGEST_MATCH)
        for length in range(longest):
            if tokens[at - 1 - length] != tokens[-1 - length]:
                return length
        return longest
