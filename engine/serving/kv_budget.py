"""The bytes that the KV caches of all running rows may take together, and who may have them.

A row claims what its prompt and its answer will need: too big alone is refused, too big beside
others waits. An answer whose length nobody bounded claims room for a common one and more as it
grows; rows that run get their more before rows that wait begin.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from engine.plan.workload import KV_STEP
from engine.protocol import Lane
from engine.serving.backend import Refused
from engine.sizes import in_words

GROWTH_TOKENS = KV_STEP
"""What a KV cache grows by at once."""
BACKGROUND_SHARE = 0.5
"""Background rows leave the rest to a chat that may come."""
LEAST_CHAT_ANSWER = 512
"""Tokens: with less room than this beside others a chat answer rather waits."""
OPEN_ANSWER = 1024
"""Tokens that an answer without a bound claims beyond those it has; most end earlier."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a row needs. `bytes_at` tells the KV bytes of one row of so many tokens.

    `is_open`: nobody bounded the answer, `wished_tokens` is all there is room for.
    """

    prompt_tokens: int
    wished_tokens: int
    bytes_at: Callable[[int], int]
    is_open: bool = False

    def due(self, answered_tokens: int) -> int:
        """Answer tokens to be claimed once it has so many."""
        if not self.is_open:
            return self.wished_tokens
        return min(self.wished_tokens, answered_tokens + OPEN_ANSWER)

    def bytes_for(self, answer_tokens: int) -> int:
        """KV bytes with an answer of this length."""
        return self.bytes_at(self.prompt_tokens + answer_tokens)

    def longest_answer(self, available: int | None, wish: int | None = None) -> int:
        """The most tokens that fit, at most those wished for; 0 or less when none does."""
        wish = self.wished_tokens if wish is None else wish
        if available is None or self.bytes_for(wish) <= available:
            return wish
        end = self.prompt_tokens + wish
        steps = range(-(-end // GROWTH_TOKENS))
        fitting = bisect_right(steps, available, key=lambda step: self.bytes_at(_tokens(step)))
        return fitting * GROWTH_TOKENS - self.prompt_tokens


def _tokens(step: int) -> int:
    return (step + 1) * GROWTH_TOKENS


@dataclass(frozen=True, slots=True)
class Held:
    """What running rows have been granted: bytes by lane, how many rows, the longest one."""

    chat_bytes: int = 0
    background_bytes: int = 0
    rows: int = 0
    longest_tokens: int = 0


class KvBudget:
    """`measure` tells the bytes for caches while so many rows of up to so many tokens run.

    It answers None when nothing bounds them.
    """

    def __init__(self, measure: Callable[[int, int], int | None]) -> None:
        self._measure = measure

    def size(self, held: Held) -> int | None:
        """What the rows that run may take together now."""
        return self._measure(max(held.longest_tokens, 1), max(held.rows, 1))

    def alone(self, claim: Claim, lane: Lane) -> int:
        """The longest answer that fits when no other row runs. Raises Refused."""
        least = min(claim.wished_tokens, GROWTH_TOKENS)
        share = self._share(lane, self._measure(claim.prompt_tokens + least, 1))
        if share is None or claim.bytes_for(least) <= share:
            return max(claim.longest_answer(share), least)
        needed = in_words(claim.bytes_for(least))
        if lane == "background":
            raise Refused(
                "no-room",
                f"{claim.prompt_tokens:,} tokens need a KV cache of {needed}, and background work "
                f"may use {in_words(share)} of the KV budget: make the prompt shorter.",
            )
        raise Refused(
            "no-room",
            f"{claim.prompt_tokens:,} tokens need a KV cache of {needed} and {in_words(share)} can "
            "be used now: start a new chat, close other programs or choose a smaller model.",
        )

    def beside(self, claim: Claim, lane: Lane, held: Held, answered: int = 0) -> int:
        """The longest answer it may have now beside the rows that run; 0 to wait.

        Background rows get all they wish for or wait; a chat answer begins with less. `answered`
        is what the answer has come to already.
        """
        wish = claim.due(answered)
        longest = max(held.longest_tokens, claim.prompt_tokens + wish)
        size = self._measure(longest, held.rows + 1)
        if size is None:
            return wish
        left = size - held.chat_bytes - held.background_bytes
        if lane == "background":
            share = int(size * BACKGROUND_SHARE) - held.background_bytes
            return wish if claim.bytes_for(wish) <= min(left, share) else 0
        longest_answer = claim.longest_answer(left, wish)
        return longest_answer if longest_answer >= min(wish, LEAST_CHAT_ANSWER) else 0

    def is_kept(self, held: Held) -> bool:
        """Whether running rows hold no more than they may."""
        size = self.size(held)
        if size is None:
            return True
        is_within = held.chat_bytes + held.background_bytes <= size
        return is_within and held.background_bytes <= int(size * BACKGROUND_SHARE)

    def _share(self, lane: Lane, size: int | None) -> int | None:
        if size is None or lane == "chat":
            return size
        return int(size * BACKGROUND_SHARE)
