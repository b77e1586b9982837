"""Which revision each line of an article comes from, across renames and merges.

Worked out from the versions themselves: git's own blame runs programs that the repository names.
"""

from dataclasses import dataclass
from pathlib import Path

from vault.history.diff import split_lines
from vault.history.git import Repository
from vault.history.home import Home
from vault.history.log import Revision, log_article
from vault.history.matching import shared_runs
from vault.history.state import open_repository
from vault.history.versions import blobs_at, contents_of

_MOST_REVISIONS = 100_000


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line of the newest committed version, and the revision that brought it."""

    number: int
    text: str
    revision: Revision


def blame(folder: Path | Home, relative: str) -> tuple[BlamedLine, ...]:
    """Blame every line; slow for an article with thousands of revisions.

    Raises HistoryUnavailable.
    """
    revisions = log_article(folder, relative, _MOST_REVISIONS)
    if not revisions:
        return ()
    return _Blame(open_repository(folder), revisions).lines()


class _Blame:
    """Passes lines from each revision on to those it follows; what none of them has is its own."""

    def __init__(self, repository: Repository, revisions: tuple[Revision, ...]) -> None:
        self._repository = repository
        self._revisions = revisions
        self._order = {revision.sha: at for at, revision in enumerate(revisions)}
        self._texts = _Texts(repository, revisions)
        self._owners: dict[int, Revision] = {}

    def lines(self) -> tuple[BlamedLine, ...]:
        newest = self._texts.of(0)
        # For each revision, by its place: (line of the newest version, line of that revision).
        waiting: dict[int, list[tuple[int, int]]] = {0: [(at, at) for at in range(len(newest))]}
        for at, revision in enumerate(self._revisions):
            left = waiting.pop(at, [])
            for parent in self._parents(at) if left else ():
                passed, left = self._pass_on(at, parent, left)
                waiting[parent] = waiting.get(parent, []) + passed
            self._owners.update({line: revision for line, _ in left})
            self._texts.forget(at)
            if not any(waiting.values()):
                break
        return tuple(
            BlamedLine(at + 1, text.removesuffix("\n"), self._owners[at])
            for at, text in enumerate(newest)
        )

    def _parents(self, at: int) -> list[int]:
        known = [
            self._order[sha] for sha in self._revisions[at].parents if self._order.get(sha, 0) > at
        ]
        if known:
            return known
        # Before a rename comes the newest revision under the older name.
        following = at + 1
        if following < len(self._revisions):
            is_renamed = self._revisions[following].path != self._revisions[at].path
            return [following] if is_renamed else []
        return []

    def _pass_on(
        self, at: int, parent: int, lines: list[tuple[int, int]]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        runs = shared_runs(self._texts.of(parent), self._texts.of(at))
        theirs = {run.new + step: run.old + step for run in runs for step in range(run.count)}
        passed = [(line, theirs[own]) for line, own in lines if own in theirs]
        return passed, [(line, own) for line, own in lines if own not in theirs]


class _Texts:
    """The lines of every version, read in order and let go of when done with."""

    def __init__(self, repository: Repository, revisions: tuple[Revision, ...]) -> None:
        self._blobs = blobs_at(repository, [(each.sha, each.path) for each in revisions])
        self._contents = contents_of(repository, [blob for blob in self._blobs if blob])
        self._held: dict[int, list[str]] = {}
        self._read = 0

    def of(self, at: int) -> list[str]:
        while self._read <= at:
            content = next(self._contents) if self._blobs[self._read] else b""
            self._held[self._read] = split_lines(content.decode("utf-8", "replace"))
            self._read += 1
        return self._held[at]

    def forget(self, at: int) -> None:
        self._held.pop(at, None)
