"""The commits that changed one article, followed back through its renames."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Repository
from vault.history.home import Home
from vault.history.state import git_path, open_repository
from vault.names import check_path

_MOST_RENAMES = 1000
_FORMAT = "%H%x00%ct%x00%an%x00%s%x00%(trailers:key=Actor,valueonly,unfold,separator=%x2C)%x00%P"


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit that changed an article, which was at `path` then; `actor` is empty if unknown.

    `parents` are the earlier revisions of the article that it follows: without those of other
    articles, and empty where the article begins or has another name.
    """

    sha: str
    when: datetime
    subject: str
    author: str
    actor: str
    path: str
    parents: tuple[str, ...] = ()
    place: "_Place | None" = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a revision stands in a walk: how many under its name come before it, from `tip` on."""

    tip: str
    number: int
    is_topological: bool


def log_article(
    folder: Path | Home,
    relative: str,
    limit: int = 50,
    before: Revision | None = None,
    tip: str = "",
) -> tuple[Revision, ...]:
    """Return the newest revisions first, in order of ancestry. Raises HistoryUnavailable.

    `before` is the last revision of an earlier page of the log; what follows it is returned.
    `tip` is the commit to look back from; else the newest.
    """
    check_path(relative)
    repository = open_repository(folder)
    if before is not None and before.place is not None:
        path, begin = before.path, before.place
        begin = _Place(begin.tip, begin.number + 1, begin.is_topological)
    else:
        path, begin = git_path(relative), _Place(tip or head_of(repository) or "", 0, False)
    if not begin.tip:
        return ()
    return tuple(_revisions(repository, path, begin, limit, before))


def _revisions(
    repository: Repository, path: str, begin: _Place, limit: int, oldest: Revision | None
) -> Iterator[Revision]:
    """Walk under one name after another; `oldest` is what was found under the first one already."""
    for _ in range(_MOST_RENAMES):
        walk = _Walk(repository, path, begin.tip, begin.number)
        revisions = walk.revisions(limit, begin.is_topological)
        yield from revisions
        limit -= len(revisions)
        oldest = revisions[-1] if revisions else oldest
        if limit <= 0 or oldest is None:
            return
        earlier = name_before(repository, oldest.sha, path)
        if earlier is None:
            return
        path, begin, oldest = earlier, _Place(f"{oldest.sha}^", 0, False), None


def head_of(repository: Repository) -> str | None:
    """The newest commit; None before the first. Raises HistoryUnavailable when it is damaged."""
    head = repository.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"])
    if head.succeeded:
        return head.output.decode("ascii").strip()
    named = repository.run(["symbolic-ref", "-q", "HEAD"])
    refs = repository.run(["for-each-ref", "--count=1"])
    branch = os.fsdecode(named.output).strip()
    is_there = repository.run(["rev-parse", "-q", "--verify", branch]).succeeded
    if not named.succeeded or not refs.succeeded or is_there or _has_file(repository, branch):
        raise _unreadable()
    return None


def _has_file(repository: Repository, branch: str) -> bool:
    return os.path.lexists(repository.git_dir / branch)


def _unreadable() -> HistoryUnavailable:
    return HistoryUnavailable(
        "git could not read the history of the wiki; run `git fsck` in its folder."
    )


@dataclass(frozen=True, slots=True)
class _Walk:
    """The revisions under one name, from `tip` on."""

    repository: Repository
    path: str
    tip: str
    skipped: int

    def revisions(self, limit: int, is_topological: bool) -> list[Revision]:
        """So many of them. Without a merge the quick order of git is that of ancestry."""
        found = self._read(limit, is_topological)
        if not is_topological and any(len(revision.parents) > 1 for revision in found):
            return self._read(limit, True)
        return found

    def _read(self, limit: int, is_topological: bool) -> list[Revision]:
        order = ["--topo-order"] if is_topological else []
        # The parents are rewritten to those that changed the article too.
        counts = [f"--max-count={limit}", f"--skip={self.skipped}"]
        finished = self.repository.run(
            [
                *("rev-list", "--parents", *order, *counts, f"--format={_FORMAT}"),
                *(self.tip, "--", self.path),
            ]
        )
        if not finished.succeeded:
            raise _unreadable()
        lines = (line for line in finished.output.split(b"\n")[1::2] if line)
        return [
            _revision(line, self.path, _Place(self.tip, self.skipped + number, is_topological))
            for number, line in enumerate(lines)
        ]


def _revision(line: bytes, path: str, place: _Place) -> Revision:
    fields = line.decode("utf-8", "replace").split("\0")
    sha, when, author, subject, actor, parents = fields
    # A commit may claim any second, even one no calendar has.
    seconds = min(max(int(when), 0), 253_402_300_799)
    moment = datetime.fromtimestamp(seconds, UTC)
    return Revision(sha, moment, subject, author, actor, path, tuple(parents.split()), place)


def name_before(repository: Repository, commit: str, path: str) -> str | None:
    """Return the old path when `commit` renamed something to `path`."""
    found = renames(repository, commit)
    return next((old for old, new in found if new == path), None)


def renames(repository: Repository, *commits: str) -> list[tuple[str, str]]:
    """The old and new paths of what one commit renamed, or what differs so between two."""
    finished = repository.compare(["--no-commit-id", "--name-status", "--diff-filter=R", *commits])
    fields = iter(os.fsdecode(finished.output).split("\0"))
    return [
        (old, new)
        for status in fields
        if status.startswith("R") and (old := next(fields, "")) and (new := next(fields, ""))
    ]
