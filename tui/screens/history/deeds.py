"""Asks first, then makes pages what they were: restore, undo, roll back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from tui.screens.history.wording import commit_line, undone_line, when_and_who
from tui.screens.pick import PickScreen
from tui.screens.question import Choice, QuestionScreen
from tui.widgets.wiki.wording import saved_line
from tui.wiki_session import WikiSession
from vault.article.page import parse_article
from vault.errors import VaultError
from vault.history.history import Undone
from vault.history.log import Revision
from vault.vault import Vault
from vault.written import Written

if TYPE_CHECKING:
    from tui.screens.history.screen import HistoryScreen

_NO = Choice("no", "Leave it")
Told = TypeVar("Told")


class HistoryDeeds:
    """What the history screen can do to the wiki; every deed is a commit of its own."""

    def __init__(self, screen: HistoryScreen, session: WikiSession, path: str) -> None:
        self._screen = screen
        self._session = session
        self._path = path

    def restore(self, revision: Revision) -> None:
        """The page as it was in this version."""
        question = f"Make “{self._path}” what it was?\n{when_and_who(revision)}"
        self._ask(question, "Restore", partial(_restore, self._path, revision, ""), _restored)

    def restore_section(self, revision: Revision) -> None:
        """One section as it was in this version."""
        self._screen.run_worker(self._choose_section(revision), group="deed", exclusive=True)

    def undo(self, revision: Revision) -> None:
        """Take back one commit."""
        question = (
            f"Take back what this commit changed, in every page? Later changes stay.\n"
            f"{revision.subject}\n{when_and_who(revision)}"
        )
        self._ask(question, "Undo", lambda vault: vault.history.undo(revision.sha), undone_line)

    def roll_back(self, revision: Revision) -> None:
        """Take back all commits of the run."""
        run = revision.actor
        question = f"Take back every change made by “{run or 'nobody known'}”, in one commit?"
        self._ask(question, "Roll back", lambda vault: vault.history.rollback(run), undone_line)

    async def _choose_section(self, revision: Revision) -> None:
        try:
            text = await self._session.ask(lambda vault: vault.history.text(revision))
        except VaultError as error:
            self._complain(str(error))
            return
        titles = [section.title for section in parse_article(text).sections if section.title]
        if not titles:
            self._complain("This version of the page has no sections.")
            return
        chosen = await self._screen.app.push_screen_wait(
            PickScreen("Restore which section?", titles)
        )
        if chosen is not None:
            deed = partial(_restore, self._path, revision, titles[chosen])
            await self._do(deed, _restored)

    def _ask(
        self, question: str, verb: str, deed: Callable[[Vault], Told], told: Callable[[Told], str]
    ) -> None:
        self._screen.run_worker(
            self._ask_and_do(question, verb, deed, told), group="deed", exclusive=True
        )

    async def _ask_and_do(
        self, question: str, verb: str, deed: Callable[[Vault], Told], told: Callable[[Told], str]
    ) -> None:
        choices = (Choice("yes", verb, "primary"), _NO)
        if await self._screen.app.push_screen_wait(QuestionScreen(question, choices)) == "yes":
            await self._do(deed, told)

    async def _do(self, deed: Callable[[Vault], Told], told: Callable[[Told], str]) -> None:
        # Before the deed: whoever watches the disk may see it before it is done.
        self._session.changing = self._path
        try:
            done = await self._session.ask(deed)
        except VaultError as error:
            self._session.changing = ""
            self._complain(str(error))
            return
        if not _is_changed(self._path, done):
            self._session.changing = ""
        self._screen.notify(told(done), markup=False)
        self._screen.look_again()

    def _complain(self, text: str) -> None:
        self._screen.notify(text, severity="warning", timeout=10, markup=False)


def _restore(path: str, revision: Revision, section: str, vault: Vault) -> Written:
    return vault.history.restore(path, revision, section)


def _is_changed(path: str, done: object) -> bool:
    match done:
        case Written():
            return done.commit is not None
        case Undone():
            return path in done.paths
        case _:
            return False


def _restored(written: Written) -> str:
    if written.commit is None:
        return commit_line(None)
    return f"Restored. {saved_line(written)}"
