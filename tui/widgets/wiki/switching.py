"""Opens another wiki beside the one that is open, which stays until the other is there."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tui.screens.wiki.vaults import choose_wiki, may_lose_text
from tui.widgets.wiki.pane import WikiPane
from tui.widgets.wiki.window_memory import WindowMemory
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.root import WikiLocation


async def open_instead(pane: WikiPane, location: WikiLocation, folder: str) -> WikiSession | None:
    """The opened wiki, or None where there is none or the user stays. Call from a worker."""
    memory = WindowMemory(location.data_dir)
    kept = await asyncio.to_thread(memory.read)
    try:
        root = await choose_wiki(pane.app, kept.recent, location.root, folder)
        if root is None or not await _is_text_safe(pane):
            return None
        session = WikiSession(replace(location, root=root), pane.session.pictures)
        await session.open()
    except VaultError as error:
        pane.notify(str(error), severity="warning", markup=False)
        return None
    return session


async def _is_text_safe(pane: WikiPane) -> bool:
    if not pane.has_unsaved_text:
        return True
    answer = await may_lose_text(pane.app)
    if answer == "discard":
        await pane.editing.discard()
    return answer == "discard" or (answer == "save" and await pane.save())
