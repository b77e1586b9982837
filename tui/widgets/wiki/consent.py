"""Asks before the first change of a folder that was there before zib."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.widget import Widget

from tui.screens.consent import ConsentScreen
from tui.wiki_session import WikiSession
from vault.errors import VaultError


class ConsentDesk:
    """`owner` runs the question; `on_agreed` is called once zib may write."""

    def __init__(
        self, owner: Widget, session: WikiSession, on_agreed: Callable[[], Awaitable[object]]
    ) -> None:
        self._owner = owner
        self._session = session
        self._on_agreed = on_agreed

    def run(self, change: Callable[[], Awaitable[object]]) -> None:
        """Make a change, in a worker, once it is allowed."""
        self._owner.run_worker(self._run(change), group="wiki-change", exclusive=True)

    async def is_given(self) -> bool:
        """Whether zib may write, after asking where it must. Call from a worker."""
        if not self._session.needs_consent:
            return True
        folder = await self._owner.app.push_screen_wait(ConsentScreen(self._session.root))
        if folder is None:
            return False
        try:
            await self._session.agree(folder)
        except VaultError as error:
            self._owner.notify(str(error), severity="warning", markup=False)
            return False
        await self._on_agreed()
        return True

    async def _run(self, change: Callable[[], Awaitable[object]]) -> None:
        if await self.is_given():
            await change()
