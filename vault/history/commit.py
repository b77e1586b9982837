"""Commits exactly the given paths, whatever else is staged, ignored or changed in the vault.

The branch moves by compare-and-swap, and again when somebody else moved it meanwhile.
"""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.building import Builder, Refused
from vault.history.git import Repository
from vault.history.home import Home
from vault.history.locks import CommitLock, commit_lock
from vault.history.message import message
from vault.history.state import (
    Skipped,
    SkipReason,
    damaged,
    find_head,
    find_repository,
    git_path,
)
from vault.history.trees import (
    Entry,
    finish_refresh,
    is_blob,
    read_entries,
    refresh_index,
)

_PAUSES_SECONDS = (0.0, 0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6)


@dataclass(frozen=True, slots=True)
class Committed:
    """The commit that was made."""

    sha: str


CommitResult = Committed | Skipped


def commit_paths(
    folder: Path | Home,
    changes: Mapping[str, bytes | None],
    subject: str,
    actor: str,
    replaced: Mapping[str, bytes] | None = None,
) -> CommitResult:
    """Commit new content (or None for a removal) of some paths, and nothing else.

    `actor` is who made the change (`you`, `synthesis run 7`) and goes into a trailer. What the
    change `replaced` is committed first where the history lacks it: another program wrote it.
    Never raises for a repository in a bad state: the files are saved already, and `Skipped` says
    why the history lacks them.
    """
    repository = find_repository(folder)
    if isinstance(repository, Skipped):
        return repository
    try:
        with commit_lock(repository.git_dir) as lock:
            if lock is None:
                return _locked("another zib is committing")
            _finish_interrupted(repository, lock)
            text = message(subject, actor)
            return _Attempt(repository, lock, text, changes, replaced or {}).run()
    except HistoryUnavailable as error:
        return Skipped(SkipReason.NO_GIT, str(error))
    except OSError as error:
        return Skipped(SkipReason.DAMAGED, f"The history could not be written: {error.strerror}.")


def finish_interrupted(repository: Repository) -> None:
    """Finish what a killed commit of ours left half done: stale locks, the user's index."""
    suppressed = contextlib.suppress(OSError, HistoryUnavailable)
    with suppressed, commit_lock(repository.git_dir) as lock:
        if lock is not None:
            _finish_interrupted(repository, lock)


def _finish_interrupted(repository: Repository, lock: CommitLock) -> None:
    if not lock.interrupted:
        return
    for sha in lock.interrupted:
        finish_refresh(repository, sha)
    lock.done()


@dataclass(frozen=True, slots=True)
class _Attempt:
    repository: Repository
    lock: CommitLock
    text: str
    changes: Mapping[str, bytes | None]
    replaced: Mapping[str, bytes] = field(default_factory=dict)

    def run(self) -> CommitResult:
        try:
            blobs = self._builder.blobs(self.changes)
            for pause in (*_PAUSES_SECONDS, None):
                result = self._try(blobs)
                if pause is None or not isinstance(result, Skipped):
                    break
                if result.reason is not SkipReason.LOCKED:
                    break
                time.sleep(pause)
        except Refused as refused:
            return refused.result
        return result

    def _try(self, blobs: Mapping[str, str | None]) -> CommitResult:
        head = find_head(self.repository)
        if isinstance(head, Skipped):
            return head
        before = read_entries(self.repository, head.sha, blobs.keys() | self._replaced.keys())
        kept = self._keep(before)
        if kept is not None:
            return self._try(blobs) if isinstance(kept, Committed) else kept
        after = {
            path: None if blob is None else Entry(_mode(before.get(path)), blob)
            for path, blob in blobs.items()
            if blob != (found.blob if (found := before.get(path)) else None)
        }
        if not after:
            return Skipped(SkipReason.UNCHANGED, "The history already has this text.")
        sha = self._builder.commit(head, self._builder.tree(head, after), self.text)
        self.lock.risk(head.branch, sha)
        moved = self._builder.move(head, sha, self.text)
        is_whole = not moved.was_killed
        if moved.succeeded:
            is_whole = refresh_index(self.repository, sha, before, after)
        # What a killed git left is cleared away by the next holder of our lock.
        if is_whole:
            self.lock.done()
        if moved.succeeded:
            return Committed(sha)
        if "lock" in moved.complaint or "expected" in moved.complaint:
            return _locked("a lock file of git is in the way: " + moved.complaint.strip()[-120:])
        return damaged(moved.complaint)

    @property
    def _builder(self) -> Builder:
        return Builder(self.repository)

    @property
    def _replaced(self) -> dict[str, bytes]:
        return {git_path(path): content for path, content in self.replaced.items()}

    def _keep(self, before: Mapping[str, Entry]) -> CommitResult | None:
        """Commit what was replaced and is not in the history; None where all of it is."""
        lacking = {
            path: content
            for path, content in self._replaced.items()
            if not is_blob(content, before.get(path))
        }
        if not lacking:
            return None
        text = message("Keep what was written elsewhere", "you")
        keeping = replace(self, text=text, changes=lacking, replaced={})
        return keeping._try(self._builder.blobs(lacking))


def _mode(before: Entry | None) -> str:
    return before.mode if before and before.mode in {"100644", "100755"} else "100644"


def _locked(what: str) -> Skipped:
    return Skipped(
        SkipReason.LOCKED, f"Nothing was committed: {what}. The article is saved; try again later."
    )
