"""The thread that touches the disk, and what the compute thread knows of its work. No MLX here."""

from __future__ import annotations

import errno
import logging
import queue
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.worker.disk_tier_catalogue import Catalogue
from engine.worker.disk_tier_folder import FolderUsage, Stored, TierFolder, allowance
from engine.worker.disk_tier_names import mark_of, remove_all

_PASSING = {errno.ENOENT, errno.EWOULDBLOCK, errno.EAGAIN, errno.EINTR}
"""Faults of one file, as when somebody empties the folder; any other ends the writing."""

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """For the gauge. Bytes and files of all models; `fault` says why nothing is written."""

    nbytes: int = 0
    entries: int = 0
    pending_bytes: int = 0
    restores: int = 0
    failures: int = 0
    fault: str = ""


class DiskWorker:
    """Called by the compute thread, which never waits but for a scan or to forget.

    Without a root there is nothing. A limit of None means a part of the free disk, 0 that what
    an earlier run kept is removed.
    """

    def __init__(self, root: Path | None, limit: int | None) -> None:
        self._folder = TierFolder(root) if root is not None else None
        self._wish = limit
        self._measured = FolderUsage()
        self._catalogue = Catalogue()
        self._scan: Future[list[Stored]] | None = None
        self._evicted: queue.SimpleQueue[Path] = queue.SimpleQueue()
        self._fault = ""
        self.restores = self.failures = 0
        self.executor = ThreadPoolExecutor(1, "disk")
        # What is asked for does not wait for what is being written.
        self.reader = ThreadPoolExecutor(1, "disk-reader")
        self._limit = self.executor.submit(self._prepare)

    @property
    def root(self) -> Path | None:
        """Where everything lies."""
        return self._folder.root if self._folder else None

    @property
    def limit(self) -> int:
        """Bytes all files may take; 0 where nothing is to be written, any more or at all."""
        return 0 if self._fault else self._try(self._limit, 0)

    @property
    def catalogue(self) -> Catalogue:
        """What is stored for the opened model, once it was looked for."""
        if self._scan is not None:
            scan, self._scan = self._scan, None
            found: list[Stored] = self._try(scan, [])
            self._catalogue = Catalogue(found)
        while not self._evicted.empty():
            self._catalogue.remove([self._evicted.get()])
        return self._catalogue

    def open(self, fingerprint: str) -> None:
        """Look for what is stored for this model, meanwhile."""
        self._catalogue = Catalogue()
        if self._folder is not None:
            self._scan = self.executor.submit(self._folder.scan, fingerprint)

    def adopt(self, stored: Stored) -> None:
        """A file was written: those it makes needless go, and others until all fit."""
        catalogue = self.catalogue
        needless = catalogue.made_needless_by(stored)
        catalogue.add(stored)
        catalogue.remove(needless)
        self.executor.submit(self._tidy, needless, stored.path)

    def settle(self, seconds: float) -> None:
        """Wait until what was asked for is done, but not for longer."""
        wait([self.executor.submit(lambda: None)], seconds)

    def remove(self, path: Path) -> None:
        """A file turned out to be damaged, or gone."""
        self.catalogue.remove([path])
        self.executor.submit(self._tidy, [path], None)

    def forget(self, owner: str) -> int:
        """Remove an owner's files of all models before returning how many there were."""
        if self._folder is None:
            return 0
        removed = self._try(self.executor.submit(self._folder.forget, owner), 0)
        self.catalogue.forget(mark_of(owner))
        self.executor.submit(self._tidy, (), None)
        return removed

    def note_failure(self, error: OSError) -> None:
        """Something could not be written or read; a full disk or one that refuses is left alone."""
        self.failures += 1
        if error.errno in _PASSING or self._fault:
            return
        self._fault = error.strerror or type(error).__name__
        _log.warning("Caches are not written to the disk any more: %s", error)

    def usage(self, pending_bytes: int) -> DiskUsage:
        """What there is."""
        measured = self._measured
        return DiskUsage(
            measured.nbytes,
            measured.files,
            pending_bytes,
            self.restores,
            self.failures,
            self._fault,
        )

    def _prepare(self) -> int:
        if self._folder is None:
            return 0
        self._folder.reap()
        limit = allowance(self._wish, self._folder.root)
        self._folder.evict(limit)
        self._measured = self._folder.usage()
        return limit

    def _tidy(self, needless: Collection[Path], spared: Path | None) -> None:
        """On the disk's thread."""
        if self._folder is None:
            return
        try:
            remove_all(needless)
            for path in self._folder.evict(self._limit.result(), spared):
                self._evicted.put(path)
            self._measured = self._folder.usage()
        except OSError as error:
            _log.warning("Kept caches could not be tidied up: %s", error)

    def _try(self, future: Future[_T], otherwise: _T) -> _T:
        try:
            return future.result()
        except OSError as error:
            self.note_failure(error)
            return otherwise
