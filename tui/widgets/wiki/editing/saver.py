"""Saves what is in the editor, asking first where the page is no longer what it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from textual.widget import Widget

from tui.screens.wiki import conflict
from tui.wiki_session import WikiSession
from vault.files import ArticleFile
from vault.merge import has_marks
from vault.standing import AsRead, Clashes, IsGone, Merges, moved, standing_of
from vault.vault import Vault
from vault.written import Written


@dataclass(frozen=True, slots=True)
class Stayed:
    """Nothing was saved."""


@dataclass(frozen=True, slots=True)
class TookTheirs:
    """The editor is to show the page as it is on disk; the text is in the conflict copy."""

    file: ArticleFile
    copy: Written


@dataclass(frozen=True, slots=True)
class Mixed:
    """The editor is to hold this text, unsaved; it builds on `file`."""

    file: ArticleFile
    text: str


SaveResult = Written | Stayed | TookTheirs | Mixed


class Saver:
    """`owner` shows the questions."""

    def __init__(self, owner: Widget, session: WikiSession) -> None:
        self._owner = owner
        self._session = session

    async def save(self, text: str, base: ArticleFile, subject: str = "") -> SaveResult:
        """Save an exact text. Raises VaultError. Call from a worker: it may ask."""
        is_marked = has_marks(text) and not has_marks(base.text or "")
        if is_marked and not await conflict.may_keep_marks(self._owner.app):
            return Stayed()
        standing = await self._session.ask(lambda vault: standing_of(vault, text, base))
        match standing:
            case AsRead() | Merges():
                return await self._write(text, base, subject)
            case Clashes(disk=disk, merged=merged):
                return await self._settle(text, base, disk, merged)
            case IsGone(moved_to=moved_to):
                return await self._bring_back(text, base, moved_to, subject)
            case _:
                assert_never(standing)

    async def _settle(
        self, text: str, base: ArticleFile, disk: ArticleFile, merged: str | None
    ) -> SaveResult:
        is_unreadable = disk.text is None or disk.is_read_only
        answer = await conflict.ask_about_clash(
            self._owner.app, text, disk, merged, is_unreadable=is_unreadable
        )
        match answer:
            case conflict.MINE.id:
                return await self._write(text, disk, "")
            case conflict.THEIRS.id:
                copy = await self._session.ask(lambda vault: vault.set_aside(base.path, text, base))
                return TookTheirs(disk, copy)
            case conflict.MERGED.id if merged is not None:
                return Mixed(disk, merged)
        return Stayed()

    async def _bring_back(
        self, text: str, base: ArticleFile, moved_to: str | None, subject: str
    ) -> SaveResult:
        answer = await conflict.ask_about_absence(self._owner.app, base.path, moved_to)
        if answer == "there" and moved_to is not None:
            return await self.save(text, moved(base, moved_to), subject)
        if answer == conflict.ANEW.id:
            return await self._write(text, base, subject)
        return Stayed()

    async def _write(self, text: str, base: ArticleFile, subject: str) -> Written:
        def write(vault: Vault) -> Written:
            return vault.save(base.path, text, base, subject=subject, is_exact=True)

        return await self._session.ask(write)
