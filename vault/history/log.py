"""The commits that changed one article, followed back through its renames."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Repository
from vault.history.state import Skipped, find_repository, git_path
from vault.names import check_path

_MOST_RENAMES = 20
_FORMAT = "%H%x00%ct%x00%an%x00%s%x00%(trailers:key=Actor,valueonly,unfold,separator=%x2C)"


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit that changed an article, which was at `path` then; `actor` is empty if unknown."""

    sha: str
    when: datetime
    subject: str
    author: str
    actor: str
    path: str


def log_article(root: Path, relative: str, limit: int = 50) -> tuple[Revision, ...]:
    """Return the newest revisions first, in order of ancestry. Raises HistoryUnavailable."""
    check_path(relative)
    repository = find_repository(root)
    if isinstance(repository, Skipped):
        raise HistoryUnavailable(repository.message)
    path, tip = git_path(relative), "HEAD"
    revisions: list[Revision] = []
    for _ in range(_MOST_RENAMES):
        found = _segment(repository, tip, path, limit - len(revisions))
        revisions += found
        if not found or len(revisions) >= limit:
            break
        oldest = found[-1].sha
        earlier = _name_before(repository, oldest, path)
        if earlier is None:
            break
        path, tip = earlier, f"{oldest}^"
    return tuple(revisions)


def _segment(repository: Repository, tip: str, path: str, limit: int) -> list[Revision]:
    finished = repository.run(
        ["rev-list", "--topo-order", f"--max-count={limit}", f"--format={_FORMAT}", tip, "--", path]
    )
    if not finished.succeeded:
        if repository.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"]).succeeded:
            raise HistoryUnavailable(
                "git could not read the history of the wiki; run `git fsck` in its folder."
            )
        return []
    lines = finished.output.split(b"\n")
    return [_revision(line, path) for line in lines[1::2] if line]


def _revision(line: bytes, path: str) -> Revision:
    sha, when, author, subject, actor = line.decode("utf-8", "replace").split("\0")
    # A commit may claim any second, even one no calendar has.
    seconds = min(max(int(when), 0), 253_402_300_799)
    return Revision(sha, datetime.fromtimestamp(seconds, UTC), subject, author, actor, path)


def _name_before(repository: Repository, commit: str, path: str) -> str | None:
    """Return the old path when `commit` renamed something to `path`."""
    finished = repository.run(
        [
            "diff-tree",
            "-r",
            "-z",
            "-M",
            "--no-commit-id",
            "--name-status",
            "--diff-filter=R",
            commit,
        ]
    )
    fields = iter(os.fsdecode(finished.output).split("\0"))
    for status in fields:
        if status.startswith("R") and (old := next(fields, "")) and next(fields, "") == path:
            return old
    return None
