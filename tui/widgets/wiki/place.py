"""The frame of the wiki pane, there from the first frame on; the pane itself follows.

The vault and the Markdown parser take a tenth of a second to import; who asks for the pane earlier
waits for them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from textual import work
from textual.containers import Vertical

from tui.messages import WikiWanted
from tui.pictures.ways import ImagesSetting, way_of
from vault.root import WikiLocation

if TYPE_CHECKING:
    from tui.widgets.wiki.pane import WikiPane
    from tui.wiki_session import WikiSession
    from vault.vault import Vault

Found = TypeVar("Found")


class WikiPlace(Vertical):
    """Holds the wiki pane and passes wishes on to it."""

    BORDER_TITLE = "Wiki"

    def __init__(
        self, location: WikiLocation, images: ImagesSetting = "off", id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.location = location
        self._images = images
        self._pane: WikiPane | None = None
        self._filling = asyncio.Lock()

    async def pane(self) -> WikiPane:
        """The pane; the first call imports and mounts it and opens the wiki."""
        async with self._filling:
            if self._pane is None:
                from tui.wiki_session import WikiSession

                self._pane = await self._put(
                    WikiSession(
                        self.location,
                        way_of(self._images, os.environ, self.app.console.color_system),
                    )
                )
            return self._pane

    async def ask(self, question: Callable[[Vault], Found]) -> Found:
        """Run `question` on the wiki in a thread, once it is open. Raises VaultError."""
        return await (await self.pane()).session.ask_when_open(question)

    @work(exclusive=True, group="wiki-switch")
    async def switch(self, folder: str) -> None:
        """Open another wiki in place of this one, and ask which without a folder."""
        from tui.widgets.wiki.switching import open_instead

        pane = await self.pane()
        session = await open_instead(pane, self.location, folder)
        if session is not None:
            self._replace(session)

    @work(group="wiki-replaced")
    async def _replace(self, session: WikiSession) -> None:
        """Not to be cancelled by the next wish: the old wiki would be gone and none be there."""
        async with self._filling:
            # Another wish may have put another pane there meanwhile.
            before, self._pane = self._pane, None
            if before is not None:
                await before.remove()
                await before.session.close()
            self.location = session.location
            self._pane = await self._put(session)
        self.post_message(WikiWanted())

    async def _put(self, session: WikiSession) -> WikiPane:
        from tui.widgets.wiki.pane import WikiPane

        pane = WikiPane(session)
        await self.mount(pane)
        pane.open_wiki()
        return pane

    @property
    def has_unsaved_text(self) -> bool:
        """Whether leaving now would lose text."""
        return self._pane is not None and self._pane.has_unsaved_text

    def keep_unsaved_text(self) -> None:
        """The program is told to end. Raises VaultError."""
        if self._pane is not None:
            self._pane.editing.keep_draft()
