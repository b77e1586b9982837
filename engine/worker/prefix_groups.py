"""Where the instructions end that all prompts of a group begin with.

Found by comparing the prompts: nobody has to mark it.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from engine.worker.cache_entry import token_array
from engine.worker.prompt_index import common_prefix

LEAST_SHARED = 32
"""Tokens: fewer are read again faster than they are copied."""
MOST_GROUPS = 8


@dataclass(slots=True)
class _Group:
    shared: array[int]
    prompts: int = 0


class PrefixGroups:
    """Knows the groups used last."""

    def __init__(self, capacity: int = MOST_GROUPS) -> None:
        self._capacity = capacity
        self._groups: OrderedDict[str, _Group] = OrderedDict()

    def note(self, name: str, prompt: Sequence[int]) -> None:
        """A request of this group was made."""
        if not name:
            return
        tokens = token_array(prompt)
        group = self._groups.setdefault(name, _Group(tokens))
        group.prompts += 1
        group.shared = group.shared[: common_prefix(group.shared, tokens)]
        self._groups.move_to_end(name)
        while len(self._groups) > self._capacity:
            self._groups.popitem(last=False)

    def boundary(self, name: str, prompt: Sequence[int]) -> int:
        """How many tokens of this prompt are worth keeping for the others; 0 for none."""
        group = self._groups.get(name)
        if group is None or group.prompts < 2 or len(group.shared) < LEAST_SHARED:
            return 0
        return min(len(group.shared), len(prompt) - 1)

    def forget(self, name: str) -> None:
        """Nothing is known of the group any more."""
        self._groups.pop(name, None)
