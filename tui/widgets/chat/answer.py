"""One question and one answer on the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.assistant.events import Answered, AnswerFailed, PromptRead, Said
from tui.markdown.widget import SafeMarkdown
from tui.text.content import literal
from tui.widgets.chat.answer_stream import AnswerStream
from tui.widgets.chat.wording import answer_footer, reading_line, thinking_line


class Question(Static):
    """What the user wrote, shown as it is."""

    def __init__(self, text: str) -> None:
        super().__init__(literal(text), classes="question")


class Answer(Vertical):
    """An answer as it arrives: progress, thinking, text, then one line about what it cost."""

    def __init__(self, may_draw: Callable[[], bool]) -> None:
        super().__init__(classes="answer")
        self._may_draw = may_draw
        self._status = Static(Content("…"), classes="answer-status")
        self._thinking_head = Static(Content(""), classes="thinking-head")
        self._thinking_body = Static(Content(""), classes="thinking-body")
        self._markdown = SafeMarkdown("", classes="answer-text")
        self._tail = Static(Content(""), classes="answer-tail")
        self._footer = Static(Content(""), classes="answer-footer")
        self._stream = AnswerStream(self._markdown, self._tail, may_draw)
        self._drawing: asyncio.Task[None] | None = None
        self._thinking: list[str] = []
        self._thinking_since = 0.0
        self._is_expanded = False

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        yield self._status
        yield self._thinking_head
        yield self._thinking_body
        yield self._markdown
        yield self._tail
        yield self._footer

    def on_mount(self) -> None:
        """Start drawing."""
        for widget in (self._thinking_head, self._thinking_body, self._tail, self._footer):
            widget.display = False
        self._drawing = asyncio.create_task(self._stream.run())

    def on_unmount(self) -> None:
        """Stop drawing."""
        if self._drawing is not None:
            self._drawing.cancel()

    @property
    def source(self) -> str:
        """The answer's text."""
        return self._stream.source

    def show_waiting(self, text: str) -> None:
        """Say what the answer waits for."""
        self._status.update(literal(text))

    def show_reading(self, event: PromptRead) -> None:
        """Prefill progress."""
        self._status.update(Content(reading_line(event)))

    def take(self, event: Said) -> None:
        """The next piece."""
        if event.span == "thinking":
            self._take_thinking(event.text)
            return
        self._status.display = False
        if self._thinking and not self._stream.source:
            self._show_thinking(is_over=True)
        self._stream.feed(event.text)

    async def end(self, event: Answered | AnswerFailed) -> None:
        """Draw the rest and the closing line."""
        await self._stream.finish()
        if self._drawing is not None:
            await self._drawing
        if self._thinking:
            self._show_thinking(is_over=True)
        self._status.display = False
        self._footer.update(literal(answer_footer(event)))
        self._footer.display = True
        self._footer.set_class(isinstance(event, AnswerFailed), "-failed")

    def toggle_thinking(self, is_expanded: bool) -> None:
        """Fold or unfold the thinking."""
        self._is_expanded = is_expanded
        if self._thinking:
            self._show_thinking(is_over=bool(self._stream.source))

    def _take_thinking(self, text: str) -> None:
        if not self._thinking:
            self._thinking_since = time.monotonic()
        self._thinking.append(text)
        self._status.display = False
        if self._may_draw():
            self._show_thinking(is_over=False)

    def _show_thinking(self, is_over: bool) -> None:
        if is_over and self._thinking_since:
            self._thought_for = time.monotonic() - self._thinking_since
            self._thinking_since = 0.0
        seconds = (
            time.monotonic() - self._thinking_since if self._thinking_since else self._thought_for
        )
        self._thinking_head.display = True
        self._thinking_head.update(
            Content(thinking_line(seconds, is_over, self._is_expanded or not is_over))
        )
        self._thinking_body.display = self._is_expanded or not is_over
        text = "".join(self._thinking)
        shown = text if self._is_expanded else "\n".join(text.split("\n")[-6:])
        self._thinking_body.update(literal(shown))
