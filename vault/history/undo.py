"""Plans the undoing of commits: each of their changes is taken out of the pages as they are now.

Later edits of other lines stay, as in a merge. Where they cannot, or where a page is no longer
what the commit left, that is a clash; a plan with clashes is not carried out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vault.confined import is_spelt_so, opened_place, read_regular
from vault.errors import NotAllowed
from vault.files import MOST_EDITED_BYTES
from vault.history.git import Repository
from vault.history.log import renames
from vault.history.page_changes import Clash, PageChange, changes_of
from vault.merge import merge
from vault.text import decode, encode

_WRITABLE = 0o222


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What files would become, by path, from what was found in them; None means no file.

    `moves` are those that get their older path back.
    """

    found: dict[str, bytes | None]
    changes: dict[str, bytes | None]
    moves: dict[str, str]
    clashes: tuple[Clash, ...]


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
    return UndoPlan(planner.found, changes, planner.moves, tuple(planner.clashes))


class _Planner:
    def __init__(self, repository: Repository, is_ours: bool) -> None:
        self._repository = repository
        self._is_ours = is_ours
        self.found: dict[str, bytes | None] = {}
        self.state: dict[str, bytes | None] = {}
        self.moves: dict[str, str] = {}
        self.clashes: list[Clash] = []

    def undo(self, commit: str) -> None:
        """Take one commit out of the state; what cannot be is noted."""
        moved: dict[str, str] | None = None
        changes, clashes = changes_of(self._repository, commit, is_ours=self._is_ours)
        self.clashes += clashes
        for change in changes:
            try:
                if self._now(change.new) is not None or change.after is None:
                    self._undo(change)
                    continue
                if moved is None:
                    moved = dict(renames(self._repository, commit, "HEAD"))
                self._undo(_moved(change, moved))
            except _Clashed as clashed:
                self.clashes.append(Clash(change.new, commit, str(clashed)))

    def _undo(self, change: PageChange) -> None:
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

    def _move_back(self, change: PageChange, now: bytes | None) -> None:
        old = self._now(change.old)
        if now is None:
            if old is None:
                raise _Clashed("it is gone")
            return
        if old is not None:
            raise _Clashed(f"its older name {change.old} is taken")
        self.state[change.old] = change.before if now == change.after else _without(change, now)
        self.state[change.new] = None
        # Of several renames only the first name and the last are of interest.
        first = next((now for now, old in self.moves.items() if old == change.new), change.new)
        self.moves[first] = change.old

    def _now(self, path: str) -> bytes | None:
        if path not in self.state:
            self.found[path] = self.state[path] = self._read(path)
        return self.state[path]

    def _read(self, path: str) -> bytes | None:
        try:
            with opened_place(self._repository.root, path) as place:
                if place.relative != path:
                    raise _Clashed("it is reached by a symbolic link")
                if not is_spelt_so(place):
                    return None
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


def _moved(change: PageChange, moved: dict[str, str]) -> PageChange:
    """The same change of a page that was renamed since."""
    if change.new not in moved:
        return change
    if change.old != change.new:
        raise _Clashed("it was renamed again")
    new = moved[change.new]
    return PageChange(new, new, change.before, change.after)


def _without(change: PageChange, now: bytes) -> bytes:
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
