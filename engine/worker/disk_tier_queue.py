"""Entries that wait to be written: newest first, none that another makes needless. No MLX here."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator

from engine.worker.cache_entry import Entry
from engine.worker.disk_tier_catalogue import is_covered

MOST_PENDING_BYTES = 2 * 1024**3
MOST_PENDING = 64


class WriteQueue:
    """Keeps no entry alive: what the prompt cache gives up frees its memory at once."""

    def __init__(self, most_bytes: int = MOST_PENDING_BYTES, most: int = MOST_PENDING) -> None:
        self._references: list[weakref.ref[Entry]] = []
        self._most_bytes, self._most = most_bytes, most
        self.has_dropped = False
        """Whether something was given up; whoever reads it may reset it."""

    def __iter__(self) -> Iterator[Entry]:
        """Newest first, without those whose caches are gone."""
        entries = [reference() for reference in self._references]
        living = [entry for entry in entries if entry is not None and entry.caches is not None]
        self._references = list(map(weakref.ref, living))
        return reversed(living)

    @property
    def nbytes(self) -> int:
        """Bytes that wait to be written."""
        return sum(entry.nbytes for entry in self)

    def add(self, entry: Entry) -> None:
        """The newest entry joins; the oldest ones go when there are too many."""
        others = [other for other in self if other is not entry]
        if any(_covers(other, entry) for other in others):
            return
        self.remove([entry, *(other for other in others if _covers(entry, other))])
        self._references.append(weakref.ref(entry))
        while len(self._references) > 1 and self._is_too_full():
            del self._references[0]
            self.has_dropped = True

    def remove(self, entries: Iterable[Entry]) -> None:
        """They were written or are to be forgotten."""
        gone = {id(entry) for entry in entries}
        self._references = [each for each in self._references if id(each()) not in gone]

    def drop(self, entry: Entry) -> None:
        """It cannot be written."""
        self.remove([entry])
        self.has_dropped = True

    def clear(self) -> None:
        """Nothing is to be written any more."""
        self._references.clear()

    def _is_too_full(self) -> bool:
        return len(self._references) > self._most or self.nbytes > self._most_bytes


def _covers(entry: Entry, other: Entry) -> bool:
    return is_covered(other.tokens, entry.tokens, entry.is_trimmable)
