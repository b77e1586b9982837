"""The caches of conversations that outlive the engine: a tier of files below the prompt cache.

disk_tier_format     what a file holds, byte by byte
disk_tier_layers     caches as records of a file, and back
disk_tier_writing    one file being written
disk_tier_reading    one file being read
disk_tier_names      names of files, private folders
disk_tier_folder     what lies on the disk, of all models and processes
disk_tier_catalogue  what of it serves the loaded model
disk_tier_identity   what makes a cache of one model useless to another
disk_tier_queue      what waits to be written
disk_tier_storing    writing in small steps
disk_tier_writer     what is written when
disk_tier_worker     the thread that touches the disk
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.serving.backend import Saved
from engine.worker.cache_entry import CacheKey, Entry, token_array
from engine.worker.disk_tier_catalogue import LEAST_GAIN, Match
from engine.worker.disk_tier_format import FileRefused
from engine.worker.disk_tier_identity import fingerprint_of
from engine.worker.disk_tier_names import mark_of
from engine.worker.disk_tier_reading import Looks, Restoration, read_caches
from engine.worker.disk_tier_worker import DiskUsage, DiskWorker
from engine.worker.disk_tier_writer import EntryWriter


@dataclass(frozen=True, slots=True)
class HeldOnDisk:
    """An entry found on the disk."""

    tier: DiskTier
    match: Match

    @property
    def usable(self) -> int:
        """Tokens of the prompt it saves."""
        return self.match.usable

    def fetch(self) -> FetchingFromDisk:
        """Begin to read it whole."""
        return FetchingFromDisk(self.tier, self.match, self.tier.restoration(self.match))


@dataclass(slots=True)
class FetchingFromDisk:
    """A file on its way into memory; its result is None when it is gone, damaged or too large."""

    tier: DiskTier
    match: Match
    restoration: Restoration
    result: tuple[list[int], list[Any]] | None = None

    def advance(self, seconds: float) -> bool:
        """Make at most one array, waiting no longer than so for its bytes."""
        try:
            restored = self.restoration.advance(seconds)
        except (FileRefused, OSError, RuntimeError) as error:
            self.tier.note_unreadable(self.match, error)
            return True
        if restored is not None:
            self.result = restored.tokens, restored.caches
            self.tier.note_restored(self.match)
        return restored is not None


class DiskTier:
    """Belongs to the compute thread, serves one model at a time, and never raises.

    Without a root it keeps nothing. `limit` in bytes; None: a part of what the disk has free, 0:
    nothing, and what an earlier run kept is removed.
    """

    def __init__(self, root: Path | None = None, limit: int | None = None) -> None:
        self._worker = DiskWorker(root, limit)
        self._writer = EntryWriter(self._worker)
        self._key: CacheKey | None = None
        self._fingerprint = ""
        self._looks: Looks = ()

    def open(self, key: CacheKey, looks: Looks) -> None:
        """A model was loaded, whose rows look like this; see `disk_tier_layers.samples`."""
        self._key, self._fingerprint, self._looks = key, fingerprint_of(key), looks
        self._writer.aim(self._fingerprint, looks)
        self._worker.open(self._fingerprint)

    def close(self) -> None:
        """The model goes. What was not flushed is given up."""
        self._key, self._looks = None, ()
        self._writer.aim("", ())

    @property
    def usage(self) -> DiskUsage:
        """For the gauge."""
        return self._worker.usage(self._writer.pending_bytes)

    def longest(self, key: CacheKey, prompt: Sequence[int], at_least: int) -> HeldOnDisk | None:
        """The file of most use, if it saves strictly more than `at_least` tokens."""
        if key != self._key or not self._looks:
            return None
        match = self._worker.catalogue.longest(token_array(prompt), at_least)
        return HeldOnDisk(self, match) if match else None

    def spellings(self, key: CacheKey, owner: str) -> list[Sequence[int]]:
        """The tokens of this owner's files, latest first."""
        if key != self._key:
            return []
        return list(self._worker.catalogue.spellings(mark_of(owner)))

    def offer(self, entry: Entry) -> None:
        """Write the entry once nothing is asked, if its caches are still there then.

        What belongs to nobody could not be forgotten, so it is not written.
        """
        is_ours = entry.key == self._key and bool(entry.owners) and not entry.is_temporary
        if is_ours and len(entry.tokens) >= LEAST_GAIN:
            self._writer.offer(entry)

    def holds(self, entry: Entry) -> bool:
        """Whether these tokens are safely stored."""
        return entry.key == self._key and self._worker.catalogue.covers(entry.tokens)

    def forget(self, owner: str) -> int:
        """Remove what only this owner uses, of all models; it is gone when this returns."""
        self._writer.forget(owner)
        return self._worker.forget(owner)

    def upkeep(self, idle_seconds: float) -> float | None:
        """Do one small step of what waits, when nothing was asked for so long.

        Returns in how many seconds there is more to do, None when nothing waits.
        """
        return self._writer.upkeep(idle_seconds)

    def flush(self, seconds: float) -> Saved:
        """Write what waits, newest first, as far as that goes in this time."""
        return self._writer.flush(seconds)

    def restoration(self, match: Match) -> Restoration:
        """A file's way into memory, of which nothing is begun."""
        return read_caches(match.stored.path, self._fingerprint, self._looks, self._worker.reader)

    def note_unreadable(self, match: Match, error: Exception) -> None:
        """A file is gone or damaged, or there is no memory for it: MLX's word is RuntimeError."""
        path = match.stored.path
        if isinstance(error, OSError):
            self._worker.note_failure(error)
            self._worker.catalogue.remove([path])
            return
        self._worker.failures += 1
        if isinstance(error, FileRefused) and error.is_spent:
            self._worker.remove(path)

    def note_restored(self, match: Match) -> None:
        """A file was read whole."""
        self._worker.restores += 1
        self._worker.catalogue.note_use(match.stored, time.time())
