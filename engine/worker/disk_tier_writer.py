"""Decides what is written when: a little while nothing is asked, or everything before an end."""

from __future__ import annotations

import time
import weakref
from concurrent.futures import Future, wait
from typing import Any

from engine.serving.backend import Saved
from engine.worker.cache.errors import CacheError
from engine.worker.cache_entry import Entry
from engine.worker.disk_tier_format import FileRefused, file_size
from engine.worker.disk_tier_names import mark_of, marks_in, new_name
from engine.worker.disk_tier_queue import WriteQueue
from engine.worker.disk_tier_reading import Looks
from engine.worker.disk_tier_storing import Steps, header_of, store
from engine.worker.disk_tier_worker import DiskWorker

DEBOUNCE_SECONDS = 1.0
"""So long nothing must have been asked before something is written."""
PATIENT_SECONDS = 30.0
"""As long for an entry most of which is stored already: disks wear out."""
_LITTLE_NEWS = 8
"""One part in so many of an entry."""
_POLL_SECONDS = 0.01


class EntryWriter:
    """Writes one entry at a time."""

    def __init__(self, worker: DiskWorker) -> None:
        self._worker = worker
        self._queue = WriteQueue()
        self._fingerprint = ""
        self._looks: Looks = ()
        self._entry: weakref.ref[Entry] | None = None
        self._marks: frozenset[str] = frozenset()
        self._steps: Steps | None = None
        self._awaited: Future[Any] | None = None
        self._written = Saved()
        self.pending_bytes = 0
        """What waits to be written; any thread may look."""

    def aim(self, fingerprint: str, looks: Looks) -> None:
        """Another model is loaded, or none; what was not written is given up."""
        self._interrupt()
        self._queue.clear()
        self._fingerprint, self._looks = fingerprint, looks
        self.pending_bytes = 0

    def offer(self, entry: Entry) -> None:
        """An entry to be written."""
        if self._looks and self._worker.limit:
            self._queue.add(entry)
            self.pending_bytes = self._queue.nbytes

    def upkeep(self, idle_seconds: float) -> float | None:
        """One small step; returns in how many seconds the next is due, None when nothing waits."""
        if self._steps is not None:
            if self._awaited is not None and not self._awaited.done():
                return _POLL_SECONDS
            self._advance()
            return 0.0
        due = [(self._delay(entry), entry) for entry in self._unwritten()]
        if not due:
            return None
        delay, entry = min(due, key=lambda each: each[0])
        if idle_seconds < delay:
            return delay - idle_seconds
        self._begin(entry)
        return 0.0

    def flush(self, seconds: float) -> Saved:
        """Write everything, newest first, as far as that goes in this time."""
        deadline = time.monotonic() + seconds
        before, failures = self._written, self._worker.failures
        while self._steps is not None or (waiting := self._unwritten()):
            left = deadline - time.monotonic()
            if left <= 0:
                self._interrupt()
                break
            if self._steps is None:
                self._begin(waiting[0])
            elif self._awaited is not None and not self._awaited.done():
                wait([self._awaited], left)
            else:
                self._advance()
        self._worker.settle(max(deadline - time.monotonic(), 0))
        is_durable = (
            self._worker.limit > 0
            and not self._unwritten()
            and self._worker.failures == failures
            and not self._queue.has_dropped
        )
        self._queue.has_dropped = False
        entries = self._written.entries - before.entries
        return Saved(entries, self._written.nbytes - before.nbytes, is_durable)

    def forget(self, owner: str) -> None:
        """Nothing of this owner alone is to be written, nor under its name."""
        if mark_of(owner) in self._marks:
            self._interrupt()
        self._queue.remove([entry for entry in self._queue if entry.owners <= {owner}])
        self.pending_bytes = self._queue.nbytes

    def _unwritten(self) -> list[Entry]:
        """Newest first; what is stored already is no longer waited for."""
        if not self._worker.limit:
            self._queue.clear()
        catalogue = self._worker.catalogue
        self._queue.remove([entry for entry in self._queue if catalogue.covers(entry.tokens)])
        self.pending_bytes = self._queue.nbytes
        return list(self._queue)

    def _delay(self, entry: Entry) -> float:
        count = len(entry.tokens)
        news = count - self._worker.catalogue.stored_part(entry.tokens)
        return DEBOUNCE_SECONDS if news * _LITTLE_NEWS >= count else PATIENT_SECONDS

    def _begin(self, entry: Entry) -> None:
        root = self._worker.root
        try:
            header = header_of(entry, self._fingerprint, self._looks)
        except (FileRefused, CacheError):
            self._worker.failures += 1
            self._queue.drop(entry)
            return
        if root is None or file_size(header) > self._worker.limit:
            self._queue.drop(entry)
            return
        name = new_name(map(mark_of, entry.owners))
        self._entry, self._marks = weakref.ref(entry), marks_in(name)
        self._steps = store(self._entry, name, header, root, self._worker.executor)
        self._awaited = None

    def _advance(self) -> None:
        steps = self._steps
        assert steps is not None  # the caller has looked
        stored, is_over = None, True
        try:
            self._awaited = next(steps)
            is_over = False
        except StopIteration as end:
            stored = end.value
        except OSError as error:
            self._worker.note_failure(error)
        finally:
            if is_over:
                if self._entry is not None and (entry := self._entry()) is not None:
                    self._queue.remove([entry])
                self._interrupt()
        if stored is not None:
            done = self._written
            self._written = Saved(done.entries + 1, done.nbytes + stored.nbytes)
            self._worker.adopt(stored)

    def _interrupt(self) -> None:
        """Give up the file being written; its entry stays in the queue."""
        if self._steps is not None:
            self._steps.close()
        self._entry = self._steps = self._awaited = None
        self._marks = frozenset()
