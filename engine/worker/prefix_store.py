"""Instructions that many requests begin with, read once and copied for each.

Where they end is found by comparing the prompts of one group: nobody has to mark it.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlx_lm.models.cache import can_trim_prompt_cache, trim_prompt_cache

from engine.worker.conversation_cache import Loan, common_prefix

LEAST_SHARED = 32
"""Tokens: less is read again faster than it is copied."""
MOST_GROUPS = 8


@dataclass(slots=True)
class _Group:
    """What the prompts of a group have in common, and the cache of that once it was read."""

    shared: list[int]
    prompts: int = 1
    tokens: tuple[int, ...] = ()
    cache: list[Any] | None = None


class PrefixStore:
    """Keeps the groups used last. Copies share their memory with the original until written to."""

    def __init__(self, capacity: int = MOST_GROUPS) -> None:
        self._capacity = capacity
        self._groups: OrderedDict[str, _Group] = OrderedDict()
        self.hits = 0

    def note(self, name: str, prompt: Sequence[int]) -> None:
        """A request of this group was made."""
        if not name:
            return
        group = self._groups.setdefault(name, _Group(list(prompt), prompts=0))
        group.prompts += 1
        del group.shared[common_prefix(group.shared, prompt) :]
        self._groups.move_to_end(name)
        while len(self._groups) > self._capacity:
            self._groups.popitem(last=False)

    def lend(self, name: str, prompt: Sequence[int]) -> Loan:
        """A copy of what was read of this prompt's beginning; at least one token stays unread."""
        group = self._groups.get(name)
        if group is None or group.cache is None:
            return Loan(None, [])
        shared = min(common_prefix(group.tokens, prompt), len(prompt) - 1)
        surplus = len(group.tokens) - shared
        if shared < LEAST_SHARED or (surplus and not can_trim_prompt_cache(group.cache)):
            return Loan(None, [])
        cache = copy.deepcopy(group.cache)
        if surplus:
            trim_prompt_cache(cache, surplus)
        self.hits += 1
        return Loan(cache, list(prompt[:shared]))

    def boundary(self, name: str, prompt: Sequence[int]) -> int:
        """After how many tokens of this prompt its cache should be shown to `keep`; 0 for never."""
        group = self._groups.get(name)
        if group is None or group.prompts < 2 or len(group.shared) < LEAST_SHARED:
            return 0
        place = min(len(group.shared), len(prompt) - 1)
        known = common_prefix(group.tokens, prompt)
        return place if known < place else 0

    def keep(self, name: str, tokens: Sequence[int], cache: list[Any]) -> None:
        """A row of the group has read exactly these tokens."""
        group = self._groups.get(name)
        if group is not None:
            group.tokens, group.cache = tuple(tokens), copy.deepcopy(cache)

    def forget(self, name: str) -> int:
        """Drop one group; returns how many caches went."""
        group = self._groups.pop(name, None)
        return 0 if group is None or group.cache is None else 1

    def drop_oldest(self) -> bool:
        """Free the cache of the group unused for longest; false when there is none."""
        for group in self._groups.values():
            if group.cache is not None:
                group.cache, group.tokens = None, ()
                return True
        return False

    def clear(self) -> None:
        """Drop everything."""
        self._groups.clear()

    def __len__(self) -> int:
        return sum(group.cache is not None for group in self._groups.values())

    @property
    def nbytes(self) -> int:
        """Bytes of all caches kept."""
        return sum(
            layer.nbytes
            for group in self._groups.values()
            if group.cache is not None
            for layer in group.cache
        )
