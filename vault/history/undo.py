"""Plans the undoing of commits: each of their changes is taken out of the pages as they are now.

Later edits of other lines stay, as in a merge. Where they cannot, or where a page is no longer
what the commit left, that is a clash; a plan with clashes is not carried out.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from vault.confined import opened_place, read_regular
from vault.errors import HistoryUnavailable, NotAllowed
from vault.files import MOST_EDITED_BYTES
from vault.history.git import Repository
from vault.history.log import renames
from vault.history.versions import contents_of
from vault.merge import merge
from vault.names import check_note_path
from vault.setup import REFERENCE
from vault.text import decode, encode

_FILE_MODES = {"100644", "100755"}
_ABSENT = "000000"
_WRITABLE = 0o222


@dataclass(frozen=True, slots=True)
class Clash:
    """Why one change of a commit cannot be undone; `reason` has no final full stop."""

    path: str
    commit: str
    reason: str


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What files would become, by path, from what was found in them; None means no file."""

    found: dict[str, bytes | None]
    changes: dict[str, bytes | None]
    clashes: tuple[Clash, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """One file of a commit; `old` and `new` are the same path unless it was renamed."""

    old: str
    new: str
    before: bytes | None
    after: bytes | None


class _Clashed(Exception):
    """Carries a reason out of the undoing of one change; never leaves this module."""


def plan_undo(repository: Repository, commits: Sequence[str], *, is_ours: bool = True) -> UndoPlan:
    """Plan to undo these commits, the newest first. Raises HistoryUnavailable."""
    planner = _Planner(repository, is_ours)
    for commit in commits:
        planner.undo(commit)
    changes = {
        path: content for path, content in planner.state.items() if content != planner.found[path]
    }
    return UndoPlan(planner.found, changes, tuple(planner.clashes))


class _Planner:
    def __init__(self, repository: Repository, is_ours: bool) -> None:
        self._repository = repository
        self._is_ours = is_ours
        self.found: dict[str, bytes | None] = {}
        self.state: dict[str, bytes | None] = {}
        self.clashes: list[Clash] = []

    def undo(self, commit: str) -> None:
        """Take one commit out of the state; what cannot be is noted."""
        moved: dict[str, str] | None = None
        for change in self._changes(commit):
            try:
                if self._now(change.new) is not None or change.after is None:
                    self._undo(change)
                    continue
                if moved is None:
                    moved = dict(renames(self._repository, commit, "HEAD"))
                self._undo(_moved(change, moved))
            except _Clashed as clashed:
                self.clashes.append(Clash(change.new, commit, str(clashed)))

    def _undo(self, change: _Change) -> None:
        now = self._now(change.new)
        if change.old != change.new:
            self._move_back(change, now)
        elif now == change.before:
            return
        elif now == change.after:
            self.state[change.new] = change.before
        elif now is None:
            raise _Clashed("it is gone")
        elif change.before is None:
            raise _Clashed("it was changed after it was made")
        elif change.after is None:
            raise _Clashed("there is another page of that name now")
        else:
            self.state[change.new] = _without(change, now)

    def _move_back(self, change: _Change, now: bytes | None) -> None:
        old = self._now(change.old)
        if now is None:
            if old is None:
                raise _Clashed("it is gone")
            return
        if old is not None:
            raise _Clashed(f"its older name {change.old} is taken")
        self.state[change.old] = change.before if now == change.after else _without(change, now)
        self.state[change.new] = None

    def _now(self, path: str) -> bytes | None:
        if path not in self.state:
            self.found[path] = self.state[path] = self._read(path)
        return self.state[path]

    def _read(self, path: str) -> bytes | None:
        try:
            with opened_place(self._repository.root, path) as place:
                if place.relative != path:
                    raise _Clashed("it is reached by a symbolic link")
                status, content = read_regular(place, MOST_EDITED_BYTES)
        except FileNotFoundError:
            return None
        except (OSError, NotAllowed) as error:
            raise _Clashed("it cannot be read") from error
        if len(content) > MOST_EDITED_BYTES:
            raise _Clashed("it is too large")
        if not status.st_mode & _WRITABLE:
            raise _Clashed("the file is write-protected")
        return content

    def _changes(self, commit: str) -> list[_Change]:
        """The changes of a commit; those that are none of pages are noted as clashes."""
        finished = self._repository.compare(["--raw", "--no-commit-id", "--no-abbrev", commit])
        if not finished.succeeded:
            raise HistoryUnavailable(f"The commit {commit[:10]} could not be read.")
        rows = []
        fields = iter(os.fsdecode(finished.output).split("\0"))
        for facts in fields:
            if not facts:
                break
            modes, blobs, status = facts[1:].split()[:2], facts.split()[2:4], facts.split()[4]
            old = next(fields)
            new = next(fields) if status[0] in "RC" else old
            reason = self._why_not(new, modes)
            if reason:
                self.clashes.append(Clash(new, commit, reason))
            else:
                known = [
                    None if mode == _ABSENT else blob
                    for mode, blob in zip(modes, blobs, strict=True)
                ]
                rows.append((old, new, known))
        contents = contents_of(
            self._repository, [blob for _, _, known in rows for blob in known if blob]
        )
        return [
            _Change(old, new, *(next(contents) if blob else None for blob in known))
            for old, new, known in rows
        ]

    def _why_not(self, path: str, modes: Sequence[str]) -> str:
        try:
            check_note_path(path)
        except NotAllowed:
            return "it is no page; undo this commit with git"
        if self._is_ours and path.startswith(f"{REFERENCE}/"):
            return "it comes with zib"
        if not set(modes) <= {*_FILE_MODES, _ABSENT}:
            return "it was no ordinary file"
        return ""


def _moved(change: _Change, moved: dict[str, str]) -> _Change:
    """The same change of a page that was renamed since."""
    if change.new not in moved:
        return change
    if change.old != change.new:
        raise _Clashed("it was renamed again")
    new = moved[change.new]
    return _Change(new, new, change.before, change.after)


def _without(change: _Change, now: bytes) -> bytes:
    """The page as it is now without what the commit did to it."""
    if change.before is None or change.after is None:
        raise _Clashed("it was changed since")
    before, after, current = (decode(each) for each in (change.before, change.after, now))
    if before.text is None or after.text is None or current.text is None or current.problem:
        raise _Clashed("it was changed since and is not text that can be merged")
    merged = merge(after.text, before.text, current.text)
    if merged is None:
        raise _Clashed("later edits changed the same lines")
    return encode(merged, has_byte_order_mark=current.has_byte_order_mark)
