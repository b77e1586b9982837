"""Keeps two commits apart, and removes the git locks that a commit of ours left when killed.

One file in the git directory does both. It is locked with flock while a commit is made, so a
killed holder frees it; and it names the locks git takes in the risky step, so that the next
holder can tell the leftovers of a killed git of ours from a lock somebody else holds.
"""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vault.atomic import write_all

_JOURNAL = "zibaldone-commit"
_PATIENCE_SECONDS = 10.0
_STALE_SECONDS = 30.0
_MOST_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class _Step:
    branch: str
    sha: str
    since: float


class CommitLock:
    """Held while a commit is made; `risk` and `done` bracket the step that takes git's locks.

    `interrupted` has the commits whose step was begun by a process that did not finish it.
    """

    def __init__(self, git_dir: Path, descriptor: int) -> None:
        self._git_dir = git_dir
        self._descriptor = descriptor
        found = self._read()
        self.interrupted = tuple(step.sha for step in found)
        self._unsettled = [step for step in found if not _settle(git_dir, step)]

    def risk(self, branch: str, sha: str) -> None:
        """Note that git is about to lock `branch`, HEAD and the index."""
        self._write([*self._unsettled, _Step(branch, sha, time.time())])

    def done(self) -> None:
        """Note that git has finished with its locks."""
        self._write(self._unsettled)

    def _read(self) -> list[_Step]:
        try:
            rows = json.loads(os.pread(self._descriptor, _MOST_BYTES, 0) or b"[]")
            return [_Step(str(row[0]), str(row[1]), float(row[2])) for row in rows]
        except (ValueError, TypeError, LookupError):
            return []

    def _write(self, steps: list[_Step]) -> None:
        rows = [[step.branch, step.sha, step.since] for step in steps[-20:]]
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        if rows:
            write_all(self._descriptor, json.dumps(rows).encode())
            os.fsync(self._descriptor)


@contextlib.contextmanager
def commit_lock(git_dir: Path) -> Iterator[CommitLock | None]:
    """Wait a few seconds for the turn to commit; None when another process keeps it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(git_dir / _JOURNAL, flags, 0o600)
    try:
        yield CommitLock(git_dir, descriptor) if _taken(descriptor) else None
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        else:
            return True


def _settle(git_dir: Path, step: _Step) -> bool:
    """Remove what is left of a killed step; False while a lock is too young to judge."""
    locks = [git_dir / f"{name}.lock" for name in ("HEAD", step.branch, "index")]
    if ".." in step.branch:
        return True
    settled = [_remove_if_stale(lock, step) for lock in locks]
    return all(settled)


def _remove_if_stale(lock: Path, step: _Step) -> bool:
    try:
        changed = lock.lstat().st_mtime
        # Git writes the id and the line break in two steps.
        written = f"{step.sha}\n".encode()
        ours = lock.name == "index.lock" or written.startswith(lock.read_bytes())
    except OSError:
        return True
    if not ours or changed < step.since - 1:
        return True
    if time.time() - changed < _STALE_SECONDS:
        return False
    with contextlib.suppress(OSError):
        lock.unlink()
    return True
