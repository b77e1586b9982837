"""Leaving the program, but not with unsaved text."""

from __future__ import annotations

from textual.app import App

from tui.screens.question import Choice, QuestionScreen
from tui.widgets.wiki.place import WikiPlace

SAVE = Choice("save", "Save and quit", "primary")
QUIT = Choice("quit", "Quit without saving", "error")
STAY = Choice("stay", "Stay")


class Leaving:
    """Asks once, however often the user wants to leave."""

    def __init__(self, wiki: WikiPlace) -> None:
        self._wiki = wiki
        self._is_under_way = False

    async def leave(self, app: App[None]) -> None:
        """Leave unless the user would rather stay. Call from a worker."""
        if self._is_under_way:
            return
        self._is_under_way = True
        if not self._wiki.has_unsaved_text or await self._may_lose_text(app):
            app.exit()
        self._is_under_way = False

    async def _may_lose_text(self, app: App[None]) -> bool:
        question = QuestionScreen("An article is not saved.", (SAVE, QUIT, STAY))
        answer = await app.push_screen_wait(question)
        pane = await self._wiki.pane()
        if answer == SAVE.id:
            return await pane.save()
        if answer == QUIT.id:
            await pane.editing.discard()
        return answer == QUIT.id
