"""Commits exactly the given paths, whatever else is staged, ignored or changed in the vault.

The commit is built from bytes we hold through a private index, so the user's index, ignore
rules, attributes and hooks have no say; the branch moves by compare-and-swap.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Finished, Repository
from vault.history.home import Home
from vault.history.locks import CommitLock, commit_lock
from vault.history.message import message
from vault.history.objects import write_blobs
from vault.history.state import (
    Head,
    Skipped,
    SkipReason,
    damaged,
    find_head,
    find_repository,
    git_path,
)
from vault.history.trees import (
    Entry,
    as_index_lines,
    finish_refresh,
    is_blob,
    read_entries,
    refresh_index,
)

AUTHOR_NAME = "zib"
AUTHOR_EMAIL = "zib@localhost"
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


class _Refused(Exception):
    """Carries a result out of the steps of one attempt; never leaves this module."""

    def __init__(self, result: Skipped) -> None:
        self.result = result


@dataclass(frozen=True, slots=True)
class _Attempt:
    repository: Repository
    lock: CommitLock
    text: str
    changes: Mapping[str, bytes | None]
    replaced: Mapping[str, bytes] = field(default_factory=dict)

    def run(self) -> CommitResult:
        try:
            blobs = self._blobs()
            for pause in (*_PAUSES_SECONDS, None):
                result = self._try(blobs)
                if pause is None or not isinstance(result, Skipped):
                    break
                if result.reason is not SkipReason.LOCKED:
                    break
                time.sleep(pause)
        except _Refused as refused:
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
        sha = self._commit(head, self._tree(head, after))
        self.lock.risk(head.branch, sha)
        moved = self._move(head, sha)
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
        return keeping._try(keeping._blobs())

    def _blobs(self) -> dict[str, str | None]:
        contents = {path: held for path, held in self.changes.items() if held is not None}
        written = write_blobs(self.repository, contents) if contents else {}
        if isinstance(written, Finished):
            raise _Refused(damaged(written.complaint))
        return {git_path(path): written.get(path) for path in self.changes}

    def _tree(self, head: Head, after: Mapping[str, Entry | None]) -> str:
        with tempfile.TemporaryDirectory(prefix="zib-index-") as folder:
            private = {"GIT_INDEX_FILE": os.path.join(folder, "index")}  # noqa: PTH118 - text, as git takes it
            if head.sha is not None:
                self._line(["read-tree", head.sha], environment=private)
            lines = as_index_lines(after, len(head.sha or "") or None)
            self._line(["update-index", "-z", "--index-info"], lines, private)
            return self._line(["write-tree"], environment=private)

    def _commit(self, head: Head, tree: str) -> str:
        parent = [] if head.sha is None else ["-p", head.sha]
        identity = {
            f"GIT_{role}_{field}": value
            for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", AUTHOR_NAME), ("EMAIL", AUTHOR_EMAIL))
        }
        return self._line(["commit-tree", tree, *parent], self.text.encode(), identity)

    def _move(self, head: Head, sha: str) -> Finished:
        note = self.text.partition("\n")[0]
        old = head.sha or "0" * len(sha)
        identity = {"GIT_COMMITTER_NAME": AUTHOR_NAME, "GIT_COMMITTER_EMAIL": AUTHOR_EMAIL}
        return self.repository.run(
            ["update-ref", "-m", f"commit: {note}", head.branch, sha, old], environment=identity
        )

    def _line(
        self,
        arguments: list[str],
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> str:
        finished = self.repository.run(arguments, stdin=stdin, environment=environment)
        if not finished.succeeded:
            raise _Refused(damaged(finished.complaint))
        return finished.output.decode("ascii").strip()


def _mode(before: Entry | None) -> str:
    return before.mode if before and before.mode in {"100644", "100755"} else "100644"


def _locked(what: str) -> Skipped:
    return Skipped(
        SkipReason.LOCKED, f"Nothing was committed: {what}. The article is saved; try again later."
    )
