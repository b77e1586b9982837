"""Reads what a commit did to pages: their contents before and after it, renames recognised."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from vault.errors import HistoryUnavailable, NotAllowed
from vault.history.git import Repository
from vault.history.versions import contents_of
from vault.names import check_note_path
from vault.setup import REFERENCE

_FILE_MODES = {"100644", "100755"}
_ABSENT = "000000"


@dataclass(frozen=True, slots=True)
class Clash:
    """Why one change of a commit cannot be undone; `reason` has no final full stop."""

    path: str
    commit: str
    reason: str


@dataclass(frozen=True, slots=True)
class PageChange:
    """One page of a commit; `old` and `new` are the same path unless it was renamed."""

    old: str
    new: str
    before: bytes | None
    after: bytes | None


def changes_of(
    repository: Repository, commit: str, *, is_ours: bool
) -> tuple[list[PageChange], list[Clash]]:
    """The changes of a commit, and those that are none of pages. Raises HistoryUnavailable."""
    finished = repository.compare(["--raw", "--no-commit-id", "--no-abbrev", commit])
    if not finished.succeeded:
        raise HistoryUnavailable(f"The commit {commit[:10]} could not be read.")
    rows: list[tuple[str, str, list[str | None]]] = []
    clashes: list[Clash] = []
    fields = iter(os.fsdecode(finished.output).split("\0"))
    for facts in fields:
        if not facts:
            break
        modes, blobs, status = facts[1:].split()[:2], facts.split()[2:4], facts.split()[4]
        old = next(fields)
        new = next(fields) if status[0] in "RC" else old
        reason = _why_not(new, modes, is_ours=is_ours)
        if reason:
            clashes.append(Clash(new, commit, reason))
        else:
            known = [
                None if mode == _ABSENT else blob for mode, blob in zip(modes, blobs, strict=True)
            ]
            rows.append((old, new, known))
    contents = contents_of(repository, [blob for _, _, known in rows for blob in known if blob])
    changes = [
        PageChange(old, new, *(next(contents) if blob else None for blob in known))
        for old, new, known in rows
    ]
    return changes, clashes


def _why_not(path: str, modes: Sequence[str], *, is_ours: bool) -> str:
    try:
        check_note_path(path)
    except NotAllowed:
        return "it is no page; undo this commit with git"
    if is_ours and path.startswith(f"{REFERENCE}/"):
        return "it comes with zib"
    if not set(modes) <= {*_FILE_MODES, _ABSENT}:
        return "it was no ordinary file"
    return ""
