"""Reads pages for the index; many of them in processes of their own, which only read and parse."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path

from vault.errors import ArticleMissing, VaultError
from vault.files import read_article
from vault.index.facts import read_facts
from vault.index.rows import PageRows, rows_of
from vault.listing import Note

LARGE = 1500
"""So many pages are worth the start of processes."""
_PAGES_A_TASK = 50
_PAGES_MEANWHILE = 500
_MOST_WORKERS = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page to read; nothing is parsed when its content has the hash `known`."""

    note: Note
    known: str = ""


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page as it was read. Without `rows` it is gone, unchanged or could not be read."""

    note: Note
    sha256: str = ""
    rows: PageRows | None = None
    problem: str = ""
    is_missing: bool = False


def read_pages(root: Path, wanted: Sequence[Wanted]) -> Iterator[PageRead]:
    """Read them, in order."""
    workers = min(_MOST_WORKERS, _processors())
    if len(wanted) < LARGE or workers < 2:
        return (read_page(root, each) for each in wanted)
    return _read_elsewhere(root, wanted, workers)


def read_page(root: Path, wanted: Wanted) -> PageRead:
    """Read one page; whatever is wrong with it is told."""
    note = wanted.note
    try:
        file = read_article(root, note.path)
    except ArticleMissing:
        return PageRead(note, is_missing=True)
    except VaultError as error:
        return PageRead(note, problem=str(error).rstrip("."))
    if file.text is None:
        return PageRead(note, file.sha256, problem=file.read_only_reason or "it is not text")
    if file.sha256 == wanted.known:
        return PageRead(note, file.sha256)
    return PageRead(note, file.sha256, rows_of(note.path, read_facts(file.text)))


def _read_elsewhere(root: Path, wanted: Sequence[Wanted], workers: int) -> Iterator[PageRead]:
    tasks = deque(
        wanted[start : start + _PAGES_A_TASK]
        for start in range(_PAGES_MEANWHILE, len(wanted), _PAGES_A_TASK)
    )
    # While the processes start, this one reads the first pages.
    running: deque[tuple[Sequence[Wanted], Future[list[PageRead]] | None]] = deque()
    running.append((wanted[:_PAGES_MEANWHILE], None))
    start_tracker()
    # What a thread of this process holds must not be copied into another process.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_begin) as pool:
        try:
            while running:
                while tasks and len(running) <= 3 * workers:
                    running.append((tasks[0], pool.submit(_read_task, root, tasks[0])))
                    tasks.popleft()
                task, elsewhere = running[0]
                yield from elsewhere.result() if elsewhere else _read_task(root, task)
                running.popleft()
        except (BrokenExecutor, OSError):
            # No processes to be had here: what is left is read in this one.
            for left in (*(task for task, _ in running), *tasks):
                yield from (read_page(root, each) for each in left)


def start_tracker() -> None:
    """Start the process with which Python keeps track of what its processes share.

    It is handed standard error, for which a full-screen program has a stand-in without a file.
    """
    with contextlib.redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()


def _read_task(root: Path, wanted: Sequence[Wanted]) -> list[PageRead]:
    return [read_page(root, each) for each in wanted]


def _begin() -> None:
    """An interrupt is for the process that asked; without that process there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A page leaves no circles behind; to look for some after every few takes a tenth of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _processors() -> int:
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
