"""The KV caches of the conversations used last, each lent to one answer at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlx_lm.models.cache import can_trim_prompt_cache, trim_prompt_cache

from engine.worker.cache.detached import detach

MAX_CONVERSATIONS = 4
BUDGET_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Loan:
    """A cache that already holds the first `len(tokens)` prompt tokens; None when there is none."""

    cache: list[Any] | None
    tokens: list[int]


class ConversationCache:
    """Remembers, for each conversation, the tokens its cache holds.

    At most `capacity` conversations. Those that wait while another is answered take at most
    `budget_bytes` together; the one answered last is beyond that, since its bytes are the ones
    planned for an answer. A budget of 0 keeps none at all.
    """

    def __init__(self, capacity: int = MAX_CONVERSATIONS, budget_bytes: int = BUDGET_BYTES) -> None:
        self._capacity = capacity
        self.budget_bytes = budget_bytes
        self._entries: OrderedDict[str, tuple[list[int], list[Any]]] = OrderedDict()
        self.hits = 0

    def borrow(self, owner: str, prompt: Sequence[int]) -> Loan:
        """Take out the owner's cache, cut back to what it shares with `prompt`.

        At least one prompt token stays uncached: the model needs one to answer from.
        """
        tokens, cache = self._entries.pop(owner, ([], []))
        self._shrink("")
        shared = min(common_prefix(tokens, prompt), len(prompt) - 1)
        surplus = len(tokens) - shared
        if not tokens or shared <= 0 or (surplus and not can_trim_prompt_cache(cache)):
            return Loan(None, [])
        if surplus:
            trim_prompt_cache(cache, surplus)
        self.hits += 1
        return Loan(cache, list(prompt[:shared]))

    def give(self, owner: str, tokens: Sequence[int], cache: list[Any]) -> None:
        """Store what an answer left behind, forgetting the conversations unused for longest."""
        if not owner or not tokens:
            return
        # Until it is evaluated, a row's part of a batch keeps the whole batch in memory.
        detach(cache)
        self._entries[owner] = list(tokens), cache
        self._entries.move_to_end(owner)
        self._shrink(owner if self.budget_bytes else "")

    def drop_oldest(self, spared: str = "") -> bool:
        """Forget the conversation unused for longest; false when only the spared one is left."""
        oldest = next((owner for owner in self._entries if owner != spared), None)
        return oldest is not None and self.forget(oldest) > 0

    def bytes_without(self, owner: str) -> int:
        """Bytes of every conversation but this one."""
        return sum(_bytes_of(cache) for name, (_, cache) in self._entries.items() if name != owner)

    def _shrink(self, spared: str) -> None:
        """Forget what is too large by itself, then those unused for longest."""
        for owner, (_, cache) in tuple(self._entries.items()):
            if owner != spared and _bytes_of(cache) > self.budget_bytes:
                self.forget(owner)
        while len(self._entries) > self._capacity or self.bytes_without(spared) > self.budget_bytes:
            if not self.drop_oldest(spared):
                return

    def forget(self, owner: str) -> int:
        """Drop one conversation; returns how many entries went."""
        return 0 if self._entries.pop(owner, None) is None else 1

    def clear(self) -> None:
        """Drop everything."""
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def nbytes(self) -> int:
        """Bytes of all stored caches."""
        return sum(_bytes_of(cache) for _, cache in self._entries.values())


def _bytes_of(cache: Sequence[Any]) -> int:
    return sum(layer.nbytes for layer in cache)


def common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens two sequences begin with in common."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))
