"""Entries that wait to be written: newest first, none that another makes needless. No MLX here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.worker.cache_entry import Entry
from engine.worker.disk_tier_catalogue import is_covered

MOST_PENDING_BYTES = 2 * 1024**3
MOST_PENDING = 64


class WriteQueue:
    """Holds entries, not their caches: those may leave an entry at any moment."""

    def __init__(self, most_bytes: int = MOST_PENDING_BYTES, most: int = MOST_PENDING) -> None:
        self._entries: list[Entry] = []
        self._most_bytes, self._most = most_bytes, most
        self.has_dropped = False
        """Whether something was given up; whoever reads it may reset it."""

    def __iter__(self) -> Iterator[Entry]:
        """Newest first, without those whose caches went elsewhere."""
        self._entries = [entry for entry in self._entries if entry.caches is not None]
        return iter(tuple(reversed(self._entries)))

    def __bool__(self) -> bool:
        return any(True for _ in self)

    @property
    def nbytes(self) -> int:
        """Bytes that wait to be written."""
        return sum(entry.nbytes for entry in self)

    def add(self, entry: Entry) -> None:
        """The newest entry joins; the oldest ones go when there are too many."""
        if any(_covers(other, entry) for other in self if other is not entry):
            return
        self._entries = [
            other for other in self if other is not entry and not _covers(entry, other)
        ]
        self._entries.reverse()
        self._entries.append(entry)
        while len(self._entries) > 1 and self._is_too_full():
            del self._entries[0]
            self.has_dropped = True

    def remove(self, entries: Iterable[Entry]) -> None:
        """They were written or are to be forgotten."""
        gone = {id(entry) for entry in entries}
        self._entries = [entry for entry in self._entries if id(entry) not in gone]

    def drop(self, entry: Entry) -> None:
        """It cannot be written."""
        self.remove([entry])
        self.has_dropped = True

    def clear(self) -> None:
        """Nothing is to be written any more."""
        self._entries.clear()

    def _is_too_full(self) -> bool:
        return len(self._entries) > self._most or self.nbytes > self._most_bytes


def _covers(entry: Entry, other: Entry) -> bool:
    return is_covered(other.tokens, entry.tokens, entry.is_trimmable)
