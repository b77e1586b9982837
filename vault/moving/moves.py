"""Renames, moves and deletes pages of an opened wiki: first a plan to look at, then the deed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vault.errors import NotAllowed, ReadOnlyArticle, VaultError
from vault.files import create_article
from vault.history.commit import commit_paths
from vault.moving.carry_out import Carried, carry_out, write_edits
from vault.moving.change import Change, MovePlan, Pages
from vault.moving.creation import Created, plan_creation
from vault.moving.journal import clear_journal, read_interrupted, write_journal
from vault.moving.moved import Moved, Put, contents_before, keep_deleted, subject_of
from vault.moving.plan import plan_change
from vault.moving.put import put_pages
from vault.moving.records import record_of_move, record_of_replacement
from vault.moving.relocate import check_can_move
from vault.moving.replacement import Replacement, with_links
from vault.names import check_path, displayable, stem_for, stem_of, title_of
from vault.new_path import settled_folder
from vault.setup import ARTICLES, META, TALK

if TYPE_CHECKING:
    from vault.vault import Vault

_YOU = "you"
_MOVED_BETWEEN = (ARTICLES, TALK, META)


class Moves:
    """What `Vault.moves` can do. Deeds happen one at a time with the vault's other writing."""

    def __init__(self, vault: Vault, writing: threading.Lock) -> None:
        self._vault = vault
        self._writing = writing

    def plan_rename(self, relative: str, title: str) -> MovePlan:
        """Plan another title for a page, in its folder. Raises NotAllowed, ArticleExists."""
        folder = relative.rpartition("/")[0]
        name = f"{stem_for(title, keeps_spaces=not self._vault.is_ours)}.md"
        return self.plan_move(relative, f"{folder}/{name}" if folder else name)

    def plan_move(self, relative: str, new_path: str) -> MovePlan:
        """Plan another path for a page; in a wiki made by zib its heading goes with its name."""
        self._require_movable(relative)
        is_ours = self._vault.is_ours
        if is_ours and new_path.partition("/")[0] not in _MOVED_BETWEEN:
            raise NotAllowed(f"Pages belong in {', '.join(_MOVED_BETWEEN)}.")
        folder, slash, name = new_path.rpartition("/")
        new_path = settled_folder(self._vault.root, folder) + slash + name
        if new_path == relative:
            raise NotAllowed(f"“{_shown(relative)}” is there already.")
        check_can_move(self._vault.root, relative, new_path)
        change = Change({relative: new_path}, is_heading_kept=not is_ours)
        return plan_change(self._pages(), change)

    def plan_delete(self, relative: str) -> MovePlan:
        """Plan the end of a page. Links to it stay, and lead to a page that is wanted."""
        self._require_movable(relative)
        return plan_change(self._pages(), Change({}, frozenset({relative})))

    def carry_out(self, plan: MovePlan, actor: str = _YOU) -> Moved:
        """Do what was planned, in one commit; nothing when a page has changed meanwhile.

        What is deleted is first put where it can be had back from: the history, or `.trash`.
        """
        self._vault.require_consent()
        with self._writing:
            kept_in = keep_deleted(self._vault.home, plan, actor)
            self._finish_interrupted()
            write_journal(self._vault.root, record_of_move(plan))
            with self._journal_cleared():
                carried = carry_out(self._vault.root, plan)
            self._note(carried)
            subject, replaced = subject_of(plan), contents_before(plan)
            commit = commit_paths(self._vault.home, carried.changes, subject, actor, replaced)
        return Moved(carried, commit, kept_in)

    def create(self, path: str, text: str, actor: str = _YOU) -> Created:
        """Create a page in one commit with the links it would take from pages of its name.

        Whoever calls holds the lock of the vault's writing.
        """
        vault = self._vault
        paths = tuple(note.path for note in vault.listing().notes)
        plan = plan_creation(paths, self._pages, path)
        if plan.edits:
            self._finish_interrupted()
            write_journal(vault.root, record_of_move(plan))
        changes: dict[str, bytes | None] = {}
        with self._journal_cleared():
            create_article(vault.root, path, text)
            edited, skipped = write_edits(vault.root, plan, changes)
        file = vault.read(path)
        changes[file.real_path] = file.content
        vault.note_changes(changes)
        subject, before = f"Create {_shown(path)}", contents_before(plan)
        commit = commit_paths(vault.home, changes, subject, actor, before)
        return Created(file, commit, edited, skipped)

    def put(self, asked: Replacement, subject: str, actor: str = _YOU) -> Put:
        """Make pages what is asked, in one commit; all of them or none.

        Links that led elsewhere by it are written anew. Raises PageChanged when a page is no
        longer what was found, SaveFailed, NotAllowed.
        """
        vault = self._vault
        vault.require_consent()
        with self._writing:
            paths = tuple(note.path for note in vault.listing().notes)
            relinked = with_links(asked, paths, self._pages)
            found, changes = relinked.replacement.found, relinked.replacement.changes
            is_several = len(changes) > 1
            if is_several:
                self._finish_interrupted()
                write_journal(vault.root, record_of_replacement(relinked.replacement))
            with self._journal_cleared() if is_several else contextlib.nullcontext():
                real = put_pages(vault.root, found, changes)
            vault.note_changes({*real, *real.values()})
            committed = {real[path]: content for path, content in changes.items()}
            replaced = {real[path]: held for path in real if (held := found[path]) is not None}
            commit = commit_paths(vault.home, committed, subject, actor, replaced)
        return Put(commit, relinked.edited, relinked.skipped)

    def finish_interrupted(self) -> bool:
        """Take the remaining steps of a change that was cut short; whether there was one."""
        with self._writing:
            return self._finish_interrupted()

    def _finish_interrupted(self) -> bool:
        remaining = read_interrupted(self._vault.root)
        if remaining is None:
            return False
        with self._journal_cleared():
            if isinstance(remaining, Replacement):
                self._vault.note_changes(
                    put_pages(self._vault.root, remaining.found, remaining.changes)
                )
            else:
                self._note(carry_out(self._vault.root, remaining))
        return True

    @contextlib.contextmanager
    def _journal_cleared(self) -> Iterator[None]:
        """What was done or refused is over; what was interrupted stays written down."""
        try:
            yield
        except VaultError:
            clear_journal(self._vault.root)
            raise
        clear_journal(self._vault.root)

    def _note(self, carried: Carried) -> None:
        moved = {path for pair in carried.moved for path in pair}
        self._vault.note_changes({*carried.changes, *moved, *carried.deleted})

    def _pages(self) -> Pages:
        vault = self._vault
        listing = vault.listing()
        paths = tuple(note.path for note in listing.notes)
        return Pages(paths, vault.names(listing), vault.read, self._is_file)

    def _is_file(self, relative: str) -> bool:
        try:
            return (self._vault.root / check_path(relative)).is_file()
        except (NotAllowed, OSError):
            return False

    def _require_movable(self, relative: str) -> None:
        self._vault.require_consent()
        file = self._vault.read(relative)
        if file.read_only_reason is not None:
            raise ReadOnlyArticle(f"“{_shown(relative)}” stays: {file.read_only_reason}.")


def _shown(relative: str) -> str:
    return title_of(stem_of(displayable(relative)))
