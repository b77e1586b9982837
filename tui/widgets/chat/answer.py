"""One answer on the screen: as it arrives, or as it was kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.assistant.events import Answered, AnswerFailed, PromptRead, Said
from tui.markdown.widget import SafeMarkdown
from tui.text.content import literal
from tui.text.sanitise import to_display
from tui.widgets.chat.answer_stream import AnswerStream
from tui.widgets.chat.message_view import MessageView
from tui.widgets.chat.thinking import Thinking
from tui.widgets.chat.wording import answer_footer, kept_footer, reading_line
from vault.conversations.values import MessageNode


class AnswerView(MessageView):
    """An answer, with the thinking before it."""

    def __init__(self, node: MessageNode | None, may_draw: Callable[[], bool]) -> None:
        super().__init__(node, "answer")
        thinking = node.thinking if node else ""
        seconds = node.extras.thinking_seconds if node else 0.0
        self.thinking = Thinking(may_draw, thinking, seconds, is_over=bool(thinking))

    def toggle_thinking(self, is_expanded: bool) -> None:
        """Fold or unfold the thinking."""
        self.thinking.unfold(is_expanded)


class KeptAnswer(AnswerView):
    """An answer from the store."""

    def __init__(self, node: MessageNode) -> None:
        super().__init__(node, lambda: True)
        self._kept = node

    def compose(self) -> ComposeResult:
        """Top to bottom; nothing for what it has not."""
        if self._kept.thinking:
            yield self.thinking
        if self._kept.text:
            yield SafeMarkdown(to_display(self._kept.text), classes="answer-text")
        yield Static(literal(kept_footer(self._kept)), classes="answer-footer")
        yield self.branch_line


class Answer(AnswerView):
    """An answer as it arrives: progress, thinking, text, then one line about what it cost."""

    def __init__(self, may_draw: Callable[[], bool], node: MessageNode | None = None) -> None:
        """`node` is an answer that goes on."""
        super().__init__(node, may_draw)
        self._before = node.text if node else ""
        self._status = Static(Content("…"), classes="answer-status")
        self._markdown = SafeMarkdown("", classes="answer-text")
        self._tail = Static(Content(""), classes="answer-tail")
        self._footer = Static(Content(""), classes="answer-footer")
        self._stream = AnswerStream(self._markdown, self._tail, may_draw)
        self._drawing: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        yield self._status
        yield self.thinking
        yield self._markdown
        yield self._tail
        yield self._footer
        yield self.branch_line

    def on_mount(self) -> None:
        """Start drawing."""
        self._tail.display = self._footer.display = False
        self._stream.feed(self._before)
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
        self._status.display = False
        if event.span == "thinking":
            self.thinking.take(event.text)
            return
        self.thinking.end()
        self._stream.feed(event.text)

    async def end(self, event: Answered | AnswerFailed) -> None:
        """Draw the rest and the closing line."""
        await self._stream.finish()
        if self._drawing is not None:
            await self._drawing
        self.thinking.end()
        self._status.display = False
        self._footer.update(literal(answer_footer(event)))
        self._footer.display = True
        self._footer.set_class(isinstance(event, AnswerFailed), "-failed")
