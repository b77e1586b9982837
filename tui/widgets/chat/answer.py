"""One answer on the screen: as it arrives, or as it was kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.assistant.events import (
    Answered,
    AnswerFailed,
    PromptRead,
    Said,
    ToolAnswered,
    ToolAsked,
)
from tui.assistant.memory_tools.calls import Looked, looked_of
from tui.assistant.memory_tools.steps import AnswerSteps
from tui.assistant.recall.record import sources_of
from tui.markdown.widget import SafeMarkdown
from tui.text.content import literal
from tui.text.sanitise import to_display
from tui.widgets.chat.answer_stream import AnswerStream
from tui.widgets.chat.message_view import MessageView
from tui.widgets.chat.recall_chips import RecallChips
from tui.widgets.chat.recall_rows import source_rows
from tui.widgets.chat.thinking import Thinking
from tui.widgets.chat.tool_log import ToolLog
from tui.widgets.chat.typist import at_once
from tui.widgets.chat.wording import answer_footer, kept_footer, reading_line
from vault.conversations.values import ToolCall


class AnswerView(MessageView):
    """An answer, with the thinking before it and what was looked up for it."""

    def __init__(self, steps: AnswerSteps | None, may_draw: Callable[[], bool]) -> None:
        super().__init__(steps.last if steps else None, "answer")
        self.steps = steps
        thinking = steps.thinking if steps else ""
        seconds = steps.thinking_seconds if steps else 0.0
        self.thinking = Thinking(may_draw, thinking, seconds, is_over=bool(thinking))
        self.look_ups = ToolLog(looked_up(steps) if steps else ())
        self.recalled = RecallChips("read with", can_change=False)
        self._show_sources()

    def settle(self, steps: AnswerSteps) -> None:
        """What is stored of it."""
        self.steps, self.node = steps, steps.last
        self._show_sources()

    @property
    def text(self) -> str:
        """All that was said."""
        return self.steps.text if self.steps else ""

    @property
    def branching_id(self) -> str:
        """The first message of the answer is beside those of the others."""
        return self.steps.steps[0].id if self.steps else ""

    def holds(self, message: str) -> bool:
        """Whether a message is a part of the answer."""
        return self.steps is not None and message in self.steps.ids

    def _show_sources(self) -> None:
        if self.steps is not None:
            self.recalled.show_rows(source_rows(sources_of(self.steps.last)))

    def toggle_thinking(self, is_expanded: bool) -> None:
        """Fold or unfold the thinking."""
        self.thinking.unfold(is_expanded)


class KeptAnswer(AnswerView):
    """An answer from the store."""

    def __init__(self, steps: AnswerSteps) -> None:
        super().__init__(steps, lambda: True)
        self._kept = steps

    def compose(self) -> ComposeResult:
        """Top to bottom; nothing for what it has not."""
        if self._kept.thinking:
            yield self.thinking
        if not self.look_ups.is_empty:
            yield self.look_ups
        if self._kept.text:
            yield SafeMarkdown(to_display(self._kept.text), classes="answer-text")
        yield Static(literal(kept_footer(self._kept.last)), classes="answer-footer")
        yield self.recalled
        yield self.branch_line


class Answer(AnswerView):
    """An answer as it arrives: progress, thinking, text, then one line about what it cost."""

    def __init__(
        self,
        may_draw: Callable[[], bool],
        steps: AnswerSteps | None = None,
        gap: Callable[[], Awaitable[None]] = at_once,
    ) -> None:
        """`steps` are those of an answer that goes on; `gap` as in `AnswerStream`."""
        super().__init__(steps, may_draw)
        self._before = steps.text if steps else ""
        self._has_gap = self._has_thought_gap = False
        self._status = Static(Content("…"), classes="answer-status")
        self._markdown = SafeMarkdown("", classes="answer-text")
        self._tail = Static(Content(""), classes="answer-tail")
        self._footer = Static(Content(""), classes="answer-footer")
        self._stream = AnswerStream(self._markdown, self._tail, may_draw, gap)
        self._drawing: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        yield self.thinking
        yield self.look_ups
        yield self._status
        yield self._markdown
        yield self._tail
        yield self._footer
        yield self.recalled
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
        self._status.display = True

    def begin_step(self, id: str) -> None:
        """The model says a message of its own, or goes on with one that is there."""
        if self.steps is None or id not in self.steps.ids:
            self._has_gap, self._has_thought_gap = bool(self.source), bool(self.thinking.text)

    async def ask(self, event: ToolAsked) -> None:
        """The model wants something looked up."""
        self._status.display = False
        self.thinking.end()
        await self.look_ups.ask(ToolCall(event.name, event.arguments, event.call))

    def answer(self, event: ToolAnswered) -> None:
        """It was looked up."""
        self.look_ups.answer(event.call, Looked(event.text, event.is_error, event.seconds))

    def take(self, event: Said) -> None:
        """The next piece."""
        self._status.display = False
        if event.span == "thinking":
            self.thinking.take(f"\n\n{event.text}" if self._has_thought_gap else event.text)
            self._has_thought_gap = False
            return
        self.thinking.end()
        self._stream.feed(f"\n\n{event.text}" if self._has_gap else event.text)
        self._has_gap = False

    async def end(self, event: Answered | AnswerFailed) -> None:
        """Draw the rest and the closing line."""
        await self._stream.finish()
        if self._drawing is not None:
            await self._drawing
        self.thinking.end()
        self.look_ups.end()
        self._status.display = False
        self._footer.update(literal(answer_footer(event)))
        self._footer.display = True
        self._footer.set_class(isinstance(event, AnswerFailed), "-failed")


def looked_up(steps: AnswerSteps) -> list[tuple[ToolCall, Looked | None]]:
    """The calls of an answer with their results; None for one that was not carried out."""
    results = steps.results
    return [
        (call, looked_of(results[call.id]) if call.id in results else None) for call in steps.calls
    ]
