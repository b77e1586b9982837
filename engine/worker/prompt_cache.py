"""Lends what is known of a prompt's beginning, and keeps what rows leave behind."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.worker.cache_entry import CacheKey, Entry, are_trimmable, token_array
from engine.worker.cache_lending import cut_back, lend
from engine.worker.cache_tier import CacheTier, Fetching
from engine.worker.entry_shelf import EntryShelf, Match
from engine.worker.loan import NOBODY, Borrower, Loan
from engine.worker.prompt_index import common_prefix


class PromptCache:
    """Entries as on an `EntryShelf`, over a tier that may know longer prefixes.

    What is put here or evicted is offered to the tier, unless it is temporary.
    """

    def __init__(
        self,
        budget_bytes: int,
        tier: CacheTier | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.hits = self.misses = self.reused_tokens = 0
        self._shelf = EntryShelf(budget_bytes, self._offer)
        self._tier = tier
        self._clock = clock

    def __len__(self) -> int:
        return len(self._shelf)

    def __iter__(self) -> Iterator[Entry]:
        """Those used longest ago come first."""
        return iter(self._shelf)

    @property
    def nbytes(self) -> int:
        """Bytes of everything kept."""
        return self._shelf.nbytes

    @property
    def budget_bytes(self) -> int:
        """What entries may take together, but for the one spared."""
        return self._shelf.budget_bytes

    def find(
        self, key: CacheKey, prompt: Sequence[int], borrower: Borrower = NOBODY
    ) -> Match | None:
        """The entry here of most use for a prompt; it does not count as used."""
        return self._shelf.find(key, token_array(prompt), borrower.suits)

    def fetch(
        self, key: CacheKey, prompt: Sequence[int], borrower: Borrower = NOBODY
    ) -> Fetching | None:
        """Begin to read what the tier knows more of a prompt, for a later `take`."""
        if self._tier is None:
            return None
        match = self.find(key, prompt, borrower)
        held = self._tier.longest(key, token_array(prompt), match.usable if match else 0)
        return held.fetch() if held is not None else None

    def take(
        self,
        key: CacheKey,
        prompt: Sequence[int],
        borrower: Borrower = NOBODY,
        fetched: Fetching | None = None,
    ) -> Loan:
        """Caches of the row's own that hold as much of a prompt as is known, but for one token.

        An entry stays, sharing its memory with the loan until that is written to, unless it is
        spent. The one that was spared is no longer. What was fetched must be at its end.
        """
        tokens = token_array(prompt)
        match = self._shelf.find(key, tokens, borrower.suits)
        loan = _restored(fetched, tokens, match.usable if match else 0)
        if loan is None and match is not None:
            loan = Loan(self._lent(match, borrower), list(prompt[: match.usable]))
        self._shelf.spared = None
        self._shelf.shrink()
        if loan is None:
            self.misses += 1
            return Loan(None, [])
        self.hits += 1
        self.reused_tokens += len(loan.tokens)
        return loan

    def put(self, entry: Entry, is_spared: bool = False) -> None:
        """Keep an entry whose caches nobody else writes to.

        One that is spared does not count against the budget until the next is taken.
        """
        entry.used_at = self._clock()
        if not self._shelf.add(entry):
            return
        self._shelf.limit_branches(entry)
        if is_spared:
            self._shelf.spared = entry
        self._offer(entry)
        self._shelf.shrink()

    def nearest(self, key: CacheKey, prompt: Sequence[int]) -> array[int] | None:
        """The tokens of an entry here that begins most like a prompt, of use or not."""
        entry = self._shelf.nearest(key, token_array(prompt))
        return None if entry is None else entry.tokens

    def spellings(self, key: CacheKey, owner: str) -> Iterator[Sequence[int]]:
        """The tokens of all that the owner uses, latest first, then of what is in the tier."""
        for entry in self._shelf.of_owner(owner):
            if entry.key == key:
                yield entry.tokens
        if self._tier is not None:
            yield from self._tier.spellings(key, owner)

    def drop_oldest(self, kept: Entry | None = None) -> bool:
        """Evict what was not used for longest; false when only `kept` is left."""
        return self._shelf.drop_oldest(kept)

    def demote(self, idle_seconds: float) -> int:
        """Leave to the tier what was not used for so long and is stored there; returns how many.

        The one that was spared stays: nothing is as likely to be gone on with.
        """
        if self._tier is None:
            return 0
        moved = 0
        for entry in self._demotable(self._clock() - idle_seconds):
            if not self._tier.holds(entry):
                self._tier.offer(entry)
            if self._tier.holds(entry):
                self._shelf.discard(entry)
                moved += 1
        return moved

    def seconds_to_demotion(self, idle_seconds: float) -> float | None:
        """When `demote` will have something to do that it cannot do yet; None for never."""
        now = self._clock()
        waits = [idle_seconds - (now - entry.used_at) for entry in self._demotable(now)]
        return min((wait for wait in waits if wait > 0), default=None)

    def forget(self, owner: str) -> int:
        """Drop what only this owner uses, here and in the tier; returns how many entries went."""
        dropped = 0
        for entry in self._shelf.of_owner(owner) if owner else ():
            entry.owners.discard(owner)
            if not entry.owners:
                self._shelf.discard(entry)
                dropped += 1
        return dropped + (self._tier.forget(owner) if self._tier is not None else 0)

    def clear(self) -> None:
        """Drop everything here; the tier is offered nothing."""
        for entry in self._shelf:
            self._shelf.discard(entry)

    def _lent(self, match: Match, borrower: Borrower) -> list[Any]:
        entry = match.entry
        caches = entry.caches or []
        if borrower.spends(match):
            self._shelf.discard(entry)
            cut_back(caches, match.surplus)
            return caches
        if not match.surplus:
            entry.owners |= {borrower.owner} - {""}
            entry.is_temporary = entry.is_temporary and borrower.is_temporary
        entry.used_at = self._clock()
        self._shelf.touch(entry)
        return lend(caches, match.surplus)

    def _demotable(self, used_before: float) -> list[Entry]:
        return [
            entry
            for entry in self._shelf
            if entry.used_at <= used_before
            and entry is not self._shelf.spared
            and not entry.is_temporary
        ]

    def _offer(self, entry: Entry) -> None:
        if self._tier is not None and not entry.is_temporary:
            self._tier.offer(entry)


def _restored(fetched: Fetching | None, prompt: array[int], at_least: int) -> Loan | None:
    restored = fetched.result if fetched is not None else None
    if restored is None:
        return None
    tokens, caches = restored
    usable = min(common_prefix(token_array(tokens), prompt), len(prompt) - 1)
    surplus = len(tokens) - usable
    if usable <= at_least or (surplus and not are_trimmable(caches)):
        return None
    cut_back(caches, surplus)
    return Loan(caches, list(prompt[:usable]))
