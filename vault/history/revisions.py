"""Finds the commits a user means: by `@` and a number, by the start of a hash, by a run's name."""

import re
from dataclasses import dataclass
from pathlib import Path

from vault.errors import HistoryUnavailable
from vault.history.git import Repository
from vault.history.home import Home
from vault.history.log import Revision, log_article
from vault.history.state import open_repository
from vault.names import displayable

_BACK = re.compile(r"@([0-9]{1,6})")
_HASH = re.compile("[0-9a-f]{4,64}")
_PAGE_OF_LOG = 500


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, its first line, and how many it follows."""

    sha: str
    subject: str
    parents: int


def find_revision(folder: Path | Home, relative: str, text: str) -> Revision:
    """The revision of a page: `@0` is its newest, `@1` the one before, else a hash.

    A commit that changed other pages stands for the revision of this one it has. Raises
    HistoryUnavailable.
    """
    text = text.strip().lower()
    back = _BACK.fullmatch(text)
    if back:
        number = int(back.group(1))
        revisions = log_article(folder, relative, number + 1)
        if len(revisions) <= number:
            raise HistoryUnavailable(
                f"“{displayable(relative)}” has {len(revisions)} versions, so there is no {text}."
            )
        return revisions[number]
    sha = commit_called(open_repository(folder), text).sha
    before: Revision | None = None
    while page := log_article(folder, relative, _PAGE_OF_LOG, before):
        found = next((revision for revision in page if revision.sha == sha), None)
        if found is not None:
            return found
        before = page[-1]
    older = log_article(folder, relative, 1, tip=sha)
    if not older:
        raise HistoryUnavailable(f"“{displayable(relative)}” was not there yet in {text}.")
    return older[0]


def commit_called(repository: Repository, text: str) -> Commit:
    """The commit: `@0` is the wiki's newest, `@1` the one before. Raises HistoryUnavailable."""
    text = text.strip().lower()
    back = _BACK.fullmatch(text)
    if not back and not _HASH.fullmatch(text):
        raise HistoryUnavailable(
            f"“{displayable(text)[:60]}” is no version: give @1 for one back, or the start of a"
            " hash from zib memory history."
        )
    name = f"HEAD~{back.group(1)}" if back else text
    found = repository.run(
        ["rev-list", "--max-count=1", "--format=%P%n%s", f"{name}^{{commit}}", "--"]
    )
    if not found.succeeded:
        why = "is the start of several hashes" if "ambiguous" in found.complaint else "is not there"
        raise HistoryUnavailable(f"The version {text} {why}.")
    sha, parents, subject = found.output.decode("utf-8", "replace").split("\n", 2)
    return Commit(sha.removeprefix("commit ").strip(), subject.strip(), len(parents.split()))


def commits_of_run(repository: Repository, run: str) -> tuple[str, ...]:
    """The commits whose actor is `run`, the newest first."""
    listed = repository.run(
        [
            *("rev-list", "--topo-order", "--fixed-strings", f"--grep=Actor: {run}"),
            *("--format=%(trailers:key=Actor,valueonly,unfold,separator=%x2C)", "HEAD", "--"),
        ]
    )
    if not listed.succeeded:
        return ()
    lines = listed.output.decode("utf-8", "replace").split("\n")
    rows = zip(lines[::2], lines[1::2], strict=False)
    return tuple(head.removeprefix("commit ") for head, actor in rows if actor == run)
