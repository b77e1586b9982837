"""Finding words in the chat that is open: counted, marked, gone to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tui.assistant.memory_tools.steps import AnswerSteps
from tui.widgets.chat.column import Column
from tui.widgets.chat.find_bar import FindBar
from tui.widgets.chat.find_text import Place, Said, pattern_of, places
from tui.widgets.chat.highlights import Highlights, spot
from tui.widgets.chat.transcript import Transcript

if TYPE_CHECKING:
    from tui.widgets.chat.pane import ChatPane


class Finding:
    """What is looked for in one pane."""

    def __init__(self, pane: ChatPane, transcript: Transcript, column: Column) -> None:
        self._pane = pane
        self._transcript = transcript
        self._column = column
        self._highlights = Highlights()
        self._words = ""
        self._places: tuple[Place, ...] = ()
        self._at = 0

    @property
    def bar(self) -> FindBar | None:
        """The line with the words, while there is one."""
        bars = self._pane.query(FindBar)
        return bars.first() if bars else None

    async def open(self, words: str) -> None:
        """Look for these words, or let the user type some."""
        bar = self.bar
        if bar is None:
            await self._pane.mount(FindBar(words), before="#queue")
        else:
            bar.type(words)

    async def look(self, words: str) -> None:
        """Find all places; the last one is gone to first, for chats are read from their end."""
        path = [
            Said(each.last.id, each.text, is_markdown=True)
            if isinstance(each, AnswerSteps)
            else Said(each.id, each.text, is_markdown=each.role != "user")
            for each in self._column.path
        ]
        self._words = words
        self._places = await asyncio.to_thread(places, path, words)
        self._at = max(len(self._places) - 1, 0)
        await self._show()

    async def step(self, step: int) -> None:
        """To another place; from the last on to the first."""
        if self._places:
            self._at = (self._at + step) % len(self._places)
        await self._show()

    async def close(self) -> None:
        """No more marks."""
        self._highlights.clear()
        self._places = ()
        if self.bar is not None:
            await self.bar.remove()
        self._pane.prompt.focus()

    async def _show(self) -> None:
        self._highlights.clear()
        bar, pattern = self.bar, pattern_of(self._words)
        if bar is None or pattern is None:
            if bar is not None:
                bar.say("")
            return
        if not self._places:
            bar.say("not in this chat")
            return
        bar.say(f"{self._at + 1:,} of {len(self._places):,}  ↑ ↓  Esc")
        place = self._places[self._at]
        view = await self._column.reach(place.message)
        self._highlights.mark(self._column.views, pattern)
        if view is None:
            return
        self._transcript.release_anchor()
        self._pane.parts.selection.choose(view)
        self._transcript.call_after_refresh(self._go_to, place)

    def _go_to(self, place: Place) -> None:
        view, pattern = self._column.view(place.message), pattern_of(self._words)
        found = spot(view, pattern, place.number) if view is not None and pattern else None
        if found is None:
            return
        region = found.widget.region
        line = region.y + int(found.share * region.height) - self._transcript.region.y
        middle = line + self._transcript.scroll_y - self._transcript.size.height // 2
        self._transcript.release_anchor()
        self._transcript.scroll_to(y=max(middle, 0), animate=False)
