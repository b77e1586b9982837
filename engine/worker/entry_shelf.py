"""Holds kept entries within a number of bytes: what was not used for longest goes first."""

from __future__ import annotations

from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.worker.cache_entry import CacheKey, Entry
from engine.worker.prompt_index import PromptIndex

_MOST_ENTRIES = 256
_MOST_BRANCHES, _MOST_SNAPSHOTS = 4, 16
"""Of one owner: entries that can be cut back serve every edit, others only where they end."""


@dataclass(frozen=True, slots=True)
class Match:
    """An entry of which the first `usable` tokens are the prompt's, with one of those left over."""

    entry: Entry
    usable: int

    @property
    def surplus(self) -> int:
        """Tokens to be taken back from it."""
        return len(self.entry.tokens) - self.usable


class EntryShelf:
    """Entries together take at most `budget_bytes`, but for the one that is spared.

    A budget of 0 keeps none at all. `evicting` is told what goes for want of room.
    """

    def __init__(self, budget_bytes: int, evicting: Callable[[Entry], None]) -> None:
        self.budget_bytes = budget_bytes
        self._evicting = evicting
        self._indexes: defaultdict[CacheKey, PromptIndex[Entry]] = defaultdict(PromptIndex)
        self._entries: OrderedDict[Entry, None] = OrderedDict()
        self.spared: Entry | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        """Those used longest ago come first."""
        return iter(tuple(self._entries))

    @property
    def nbytes(self) -> int:
        """Bytes of everything here."""
        return sum(entry.nbytes for entry in self._entries)

    def nearest(self, key: CacheKey, prompt: array[int]) -> Entry | None:
        """An entry that begins most like a prompt, of use or not."""
        found = next(self._indexes[key].nearest(prompt), None)
        return None if found is None else found.value

    def find(
        self, key: CacheKey, prompt: array[int], suits: Callable[[Match], bool]
    ) -> Match | None:
        """The entry of most use for a prompt, of those that suit.

        At least one token stays over: the model needs one to answer from. An entry that cannot be
        cut back is of use only whole.
        """
        for found in self._indexes[key].nearest(prompt):
            match = Match(found.value, min(found.shared, len(prompt) - 1))
            is_usable = not match.surplus or match.entry.is_trimmable
            if match.usable > 0 and is_usable and suits(match):
                return match
        return None

    def of_owner(self, owner: str) -> list[Entry]:
        """Every entry that the owner uses whole, the latest first."""
        return [entry for entry in reversed(self._entries) if owner in entry.owners]

    def add(self, entry: Entry) -> bool:
        """Take in an entry, unless a longer one serves all its owners; says whether it did.

        It replaces what has the same tokens and, if it can be cut back, what it continues of the
        same owners.
        """
        if longer := self._covering(entry):
            self.touch(longer)
            return False
        index = self._indexes[entry.key]
        former = index.put(entry.tokens, entry)
        if former is not None:
            entry.owners |= former.owners
            entry.is_temporary = entry.is_temporary and former.is_temporary
            del self._entries[former]
            former.caches = None
            self.spared = None if former is self.spared else self.spared
        self.touch(entry)
        for prefix in index.prefixes(entry.tokens) if entry.is_trimmable else ():
            if _serves_all(entry, prefix):
                self.discard(prefix)
        return True

    def touch(self, entry: Entry) -> None:
        """It is the one used last."""
        self._entries[entry] = None
        self._entries.move_to_end(entry)

    def drop(self, entry: Entry) -> None:
        """Take an entry out; its caches stay with it."""
        if entry in self._entries:
            del self._entries[entry]
            self._indexes[entry.key].remove(entry.tokens)
        if entry is self.spared:
            self.spared = None

    def discard(self, entry: Entry) -> None:
        """Take an entry out and free its caches, whoever else knows of it."""
        self.drop(entry)
        entry.caches = None

    def drop_oldest(self, kept: Entry | None = None) -> bool:
        """Evict what was not used for longest; false when only `kept` is left."""
        oldest = next((entry for entry in self._entries if entry is not kept), None)
        if oldest is not None:
            self._evict(oldest)
        return oldest is not None

    def shrink(self) -> None:
        """Evict what is too large by itself, then what was not used for longest."""
        if not self.budget_bytes:
            self.spared = None
        for entry in self:
            if entry is not self.spared and entry.nbytes > self.budget_bytes:
                self._evict(entry)
        spared = self.spared.nbytes if self.spared is not None else 0
        while len(self) > _MOST_ENTRIES or self.nbytes - spared > self.budget_bytes:
            if not self.drop_oldest(self.spared):
                return

    def limit_branches(self, latest: Entry) -> None:
        """Evict the oldest of what its owners alone have gathered."""
        most = _MOST_BRANCHES if latest.is_trimmable else _MOST_SNAPSHOTS
        for owner in latest.owners:
            for entry in self.of_owner(owner)[most:]:
                if len(entry.owners) == 1:
                    self._evict(entry)

    def _evict(self, entry: Entry) -> None:
        self._evicting(entry)
        self.drop(entry)

    def _covering(self, entry: Entry) -> Entry | None:
        for found in self._indexes[entry.key].nearest(entry.tokens):
            if found.shared < len(entry.tokens):
                return None
            longer = found.value
            if found.length > found.shared and longer.is_trimmable and _serves_all(longer, entry):
                return longer
        return None


def _serves_all(longer: Entry, prefix: Entry) -> bool:
    """Whether the longer one serves everybody whom the prefix serves."""
    return prefix.owners <= longer.owners and (prefix.is_temporary or not longer.is_temporary)
