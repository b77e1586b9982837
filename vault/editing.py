"""Saves and makes single pages of an opened wiki, each with its commit."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from vault.errors import NotAllowed, ReadOnlyArticle
from vault.files import ArticleFile
from vault.history.commit import CommitResult, commit_paths
from vault.names import displayable, stem_of, title_of
from vault.new_path import path_for_new
from vault.saving import Outcome, Saved, save_article, write_conflict_copy
from vault.setup import ARTICLES, META, TALK
from vault.written import Written

if TYPE_CHECKING:
    from vault.vault import Vault

_WRITTEN_FOLDERS = (ARTICLES, TALK, META)


class Editing:
    """What stands behind `Vault.save`, `set_aside` and `create`; one at a time with its moves."""

    def __init__(self, vault: Vault, writing: threading.Lock) -> None:
        self._vault = vault
        self._writing = writing

    def save(
        self,
        relative: str,
        text: str,
        base: ArticleFile,
        actor: str,
        subject: str,
        *,
        is_exact: bool,
    ) -> Written:
        """Save an edited page over `base`; no subject means the usual one."""
        vault = self._vault
        vault.require_consent()
        if vault.is_reference(relative):
            raise ReadOnlyArticle(
                "The pages under Reference come with zib; write an article of your own instead."
            )
        with self._writing:
            saved = save_article(vault.root, relative, text, base, is_exact=is_exact)
            vault.note_changes({relative, saved.file.path, saved.file.real_path})
            if saved.outcome is Outcome.UNCHANGED:
                return Written(saved, None)
            subject = subject or f"Edit {_shown(relative)}"
            if saved.outcome is Outcome.CONFLICT_COPY:
                subject = _of_conflict(relative)
            return Written(saved, self._commit(saved, subject, actor))

    def set_aside(self, relative: str, text: str, base: ArticleFile, actor: str) -> Written:
        """Keep a text in a conflict copy beside its page."""
        vault = self._vault
        vault.require_consent()
        with self._writing:
            saved = write_conflict_copy(vault.root, relative, text, base)
            vault.note_changes({saved.file.path, saved.file.real_path})
            return Written(saved, self._commit(saved, _of_conflict(relative), actor))

    def create(
        self, title: str, folder: str | None, actor: str, text: str | None, body: str
    ) -> Written:
        """Make a page with `text`, or else a heading and `body`."""
        vault = self._vault
        vault.require_consent()
        with self._writing:
            where = self._folder_for_new() if folder is None else folder
            if vault.is_ours and where.partition("/")[0] not in _WRITTEN_FOLDERS:
                raise NotAllowed(f"New pages go into {', '.join(_WRITTEN_FOLDERS)}.")
            # Elsewhere a link written as `[[Two words]]` means a file with that space in its name.
            path = path_for_new(vault.root, title, where, keeps_spaces=not vault.is_ours)
            if text is None:
                text = f"{self._heading(path)}\n\n" + (f"{body.rstrip()}\n" if body.strip() else "")
            made = vault.moves.create(path, text, actor)
            saved = Saved(Outcome.SAVED, made.file)
            return Written(saved, made.commit, made.edited, made.skipped)

    def _commit(self, saved: Saved, subject: str, actor: str) -> CommitResult:
        path = saved.file.real_path
        replaced = {} if saved.replaced is None else {path: saved.replaced}
        changes = {path: saved.file.content}
        return commit_paths(self._vault.home, changes, subject, actor, replaced)

    def _heading(self, path: str) -> str:
        stem = stem_of(path)
        return f"# {title_of(stem) if self._vault.is_ours else stem}"

    def _folder_for_new(self) -> str:
        vault = self._vault
        return ARTICLES if vault.is_ours else vault.conventions.folder_for_new_note()


def _of_conflict(relative: str) -> str:
    return f"Keep a conflicting edit of {_shown(relative)}"


def _shown(relative: str) -> str:
    return title_of(stem_of(displayable(relative)))
