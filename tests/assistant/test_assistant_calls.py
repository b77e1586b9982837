"""Tool calls nobody asked for are shown as what the model said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from engine.answers import AnswerEvent
from engine.protocol import (
    Finished,
    Generate,
    TextDelta,
    ToolCall,
    ToolCallMalformed,
    ToolCallRequested,
    Usage,
)
from tests.exchanges import exchanges
from tui.assistant.assistant import Assistant
from tui.assistant.events import Answered, Said
from tui.assistant.style import AnswerStyle

USAGE = Usage(0, 0, 0, 0, 0.0, 0.0, 0.0)


class Calling:
    """An engine whose model calls tools by itself."""

    async def run(self, request: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """One answer with a call and what looks like one."""
        yield TextDelta(1, "I look.")
        yield ToolCallRequested(1, ToolCall("c1", "look", '{"page": "a"}'))
        yield ToolCallMalformed(1, "<tool_call>{", "It cannot be read.")
        yield Finished(1, "stop", USAGE)

    def stop_answers(self, conversation: str | None = None) -> None:
        """Nothing runs long enough."""

    async def forget(self, conversation: str) -> int:
        """Nothing is kept."""
        return 0


def test_calls_nobody_asked_for_are_shown_as_text() -> None:
    assistant = Assistant(Calling(), AnswerStyle())

    async def listen() -> list[Any]:
        async with aclosing(assistant.ask("hi")) as events:
            return [event async for event in events]

    *said, last = asyncio.run(listen())
    text = "".join(event.text for event in said if isinstance(event, Said))
    assert text == 'I look.\nlook({"page": "a"})\n\n<tool_call>{\n'
    assert isinstance(last, Answered)
    (exchange,) = exchanges(assistant)
    assert (exchange.answer, exchange.state) == (text, "complete")
