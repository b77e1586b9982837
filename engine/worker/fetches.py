"""What rows that wait to be read get from the disk, a small part at a time."""

from __future__ import annotations

from engine.worker.cache_tier import Fetching
from engine.worker.kept_caches import KeptCaches
from engine.worker.row import Row

_PATIENCE_SECONDS = 0.005
"""So long a step waits for the disk; other rows' steps come in between."""


class Fetches:
    """At most one of a row, from when it is first asked about until it is taken."""

    def __init__(self, kept: KeptCaches) -> None:
        self._kept = kept
        self._begun: dict[int, Fetching | None] = {}
        self._done: set[int] = set()

    def advance(self, row: Row) -> bool:
        """Do a small part of the row's; whether there is nothing more to do."""
        if self.is_done(row):
            return True
        fetching = self._begun[row.id]
        if fetching is not None and fetching.advance(_PATIENCE_SECONDS):
            self._done.add(row.id)
        return row.id in self._done

    def is_done(self, row: Row) -> bool:
        """Whether the row waits for nothing."""
        if row.id not in self._begun:
            self._begun[row.id] = fetching = self._kept.fetch(row)
            if fetching is None:
                self._done.add(row.id)
        return row.id in self._done

    def take(self, row: Row) -> Fetching | None:
        """What was fetched for the row, and no longer is here."""
        self._done.discard(row.id)
        return self._begun.pop(row.id, None)

    def drop(self, row: Row) -> None:
        """The row goes."""
        self.take(row)
