"""The frame of the wiki pane, there from the first frame on; the pane itself follows.

The vault and the Markdown parser take a tenth of a second to import. Until they are there, what is
asked of the wiki waits for them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Vertical

if TYPE_CHECKING:
    from tui.widgets.wiki.pane import WikiPane


class WikiPlace(Vertical):
    """Holds the wiki pane and passes wishes on to it."""

    BORDER_TITLE = "Wiki"

    def __init__(self, root: Path, id: str | None = None) -> None:
        super().__init__(id=id)
        self.root = root
        self._pane: WikiPane | None = None
        self._is_filled = asyncio.Event()

    async def fill(self) -> None:
        """Import the pane, mount it and open the wiki."""
        from tui.widgets.wiki.pane import WikiPane
        from tui.wiki_session import WikiSession

        self._pane = WikiPane(WikiSession(self.root))
        await self.mount(self._pane)
        self._is_filled.set()
        self._pane.open_wiki()

    async def pane(self) -> WikiPane:
        """The pane, once it is there."""
        await self._is_filled.wait()
        assert self._pane is not None  # set before the event
        return self._pane

    @property
    def has_unsaved_text(self) -> bool:
        """Whether leaving now would lose text."""
        return self._pane is not None and self._pane.has_unsaved_text
