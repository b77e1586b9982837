"""Draws text that is still arriving, without ever holding up the keyboard.

The first piece is drawn at once; then pieces are joined for at least MIN_DELAY, longer when
drawing is slow. A block too large to be redrawn at every piece waits in a plain widget.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable

from textual.content import Content
from textual.widgets import Static

from tui.markdown.open_block import OpenBlock
from tui.markdown.widget import SafeMarkdown
from tui.text.sanitise import StreamSanitiser
from tui.widgets.chat.typist import at_once

MIN_DELAY_SECONDS = 0.1
DELAY_PER_DRAWING_SECOND = 3
TAIL_LINES = 40

# What Textual draws differently when it gets the text in pieces.
_NEEDS_WHOLE = re.compile(r"^ {0,3}\[[^\]\n]+\]:\s|^[ \t]+(?:```|~~~)", re.MULTILINE)
# The beginning of a line that may still become another kind of block: `#` a heading or a tag.
_MARKERS = r"(?:[-+*_=#>|~`: \t]|\d{1,9}[.)][ \t])*"
_UNDECIDED = re.compile(_MARKERS + r"(?:(?:```|~~~).*|(?:\d{1,9}[.)]?)?[ \t]*)\Z")


class AnswerStream:
    """Feeds one Markdown widget; `may_draw` is false while the user reads further up."""

    def __init__(
        self,
        markdown: SafeMarkdown,
        tail: Static,
        may_draw: Callable[[], bool],
        gap: Callable[[], Awaitable[None]] = at_once,
    ) -> None:
        """`gap` returns when drawing holds up nobody who types."""
        self._markdown = markdown
        self._tail = tail
        self._may_draw = may_draw
        self._gap = gap
        self._sanitiser = StreamSanitiser()
        self._block = OpenBlock()
        self._source: list[str] = []
        self._waiting: list[str] = []
        self._held = ""
        self._arrived = asyncio.Event()
        self._is_mid_line = False
        self._is_over = False
        self._seconds = 0.0
        # Textual's appends must not overlap: each starts from where the one before ended.
        self._drawing = asyncio.Lock()

    @property
    def source(self) -> str:
        """The whole sanitised text so far."""
        return "".join(self._source)

    def feed(self, text: str) -> None:
        """Take a piece as the model said it."""
        self._take(self._sanitiser.feed(text))

    async def run(self) -> None:
        """Draw what arrives until `finish` is called."""
        while not self._is_over:
            await self._arrived.wait()
            await self._gap()
            self._arrived.clear()
            started = time.monotonic()
            if self._may_draw():
                async with self._drawing:
                    await self._draw()
                self._markdown.call_after_refresh(self._note_painted, started)
            await self._rest(MIN_DELAY_SECONDS)
            # Layout and painting come after the drawing, and are most of it.
            await self._rest(DELAY_PER_DRAWING_SECOND * self._seconds - MIN_DELAY_SECONDS)

    async def finish(self) -> None:
        """Draw everything that is left; nothing may be fed afterwards."""
        self._take(self._sanitiser.finish())
        self._is_over = True
        self._arrived.set()
        async with self._drawing:
            rest = self._held + "".join(self._waiting)
            self._held, self._waiting = "", []
            source = self.source
            if _NEEDS_WHOLE.search(source):
                await self._markdown.update(source)
            elif rest:
                await self._markdown.append(rest)
            self._show_tail("")

    async def _rest(self, seconds: float) -> None:
        if seconds > 0 and not self._is_over:
            await asyncio.sleep(seconds)

    def _note_painted(self, started: float) -> None:
        self._seconds = time.monotonic() - started

    def _take(self, text: str) -> None:
        if text:
            self._source.append(text)
            self._waiting.append(text)
            self._arrived.set()

    async def _draw(self) -> None:
        text = self._take_decided()
        if not text:
            return
        self._block.feed(text)
        if self._block.is_costly:
            self._held += text
            self._show_tail(self._held)
        else:
            text, self._held = self._held + text, ""
            await self._markdown.append(text)
            self._show_tail("")

    def _take_decided(self) -> str:
        """What waits, without a last line that may still become another kind of block."""
        text = "".join(self._waiting)
        start = text.rfind("\n") + 1
        is_open = not (start == 0 and self._is_mid_line) and _UNDECIDED.match(text, start)
        decided = text[:start] if is_open else text
        self._waiting = [text[start:]] if is_open else []
        if decided:
            self._is_mid_line = not decided.endswith("\n")
        return decided

    def _show_tail(self, text: str) -> None:
        lines = text.split("\n")[-TAIL_LINES:]
        self._tail.display = bool(text)
        if text:
            self._tail.update(Content("\n".join(lines)))
