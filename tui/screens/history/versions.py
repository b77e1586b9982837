"""The list of a page's versions; more are read as its end is reached."""

from __future__ import annotations

from textual import on, work
from textual.message import Message
from textual.widgets import OptionList

from tui.screens.history.wording import revision_line
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.history.log import Revision

_AT_ONCE = 40
_NEAR_THE_END = 10


class VersionList(OptionList):
    """The newest version first."""

    class Empty(Message):
        """There are no versions, for `reason`."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, session: WikiSession, path: str, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._path = path
        self._revisions: list[Revision] = []
        self._is_complete = False

    @property
    def chosen(self) -> Revision | None:
        """The highlighted version."""
        at = self.highlighted
        return self._revisions[at] if at is not None and at < len(self._revisions) else None

    async def before(self, revision: Revision) -> Revision | None:
        """The version this one followed; None where the page begins. Raises VaultError."""
        at = next((i for i, each in enumerate(self._revisions) if each == revision), None)
        if at is not None and at + 1 < len(self._revisions):
            return self._revisions[at + 1]
        older = await self._session.ask(lambda vault: vault.history.log(self._path, 1, revision))
        return older[0] if older else None

    @work(exclusive=True, group="versions")
    async def look(self) -> None:
        """Read the newest versions anew."""
        revisions = await self._read(None)
        self._revisions = []
        self.clear_options()
        self._add(revisions)
        if self._revisions:
            self.highlighted = 0

    @on(OptionList.OptionHighlighted)
    def read_on(self, event: OptionList.OptionHighlighted) -> None:
        """Near the end there is more to read."""
        if not self._is_complete and event.option_index + _NEAR_THE_END >= len(self._revisions):
            self._look_further()

    @work(exclusive=True, group="versions")
    async def _look_further(self) -> None:
        if self._revisions:
            self._add(await self._read(self._revisions[-1]))

    async def _read(self, before: Revision | None) -> tuple[Revision, ...]:
        try:
            found = await self._session.ask(
                lambda vault: vault.history.log(self._path, _AT_ONCE, before)
            )
        except VaultError as error:
            self._is_complete = True
            self.post_message(self.Empty(str(error)))
            return ()
        self._is_complete = len(found) < _AT_ONCE
        if not found and before is None:
            self.post_message(self.Empty("This page is in no commit yet."))
        return found

    def _add(self, revisions: tuple[Revision, ...]) -> None:
        self._revisions += revisions
        self.add_options(revision_line(revision) for revision in revisions)
        self.border_title = f"{len(self._revisions)}{'' if self._is_complete else '+'} versions"
