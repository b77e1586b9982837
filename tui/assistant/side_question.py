"""Something the program itself asks the model, beside the chat."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

from engine.answers import AnswerEvent
from engine.protocol import Finished, Generate, TextDelta


class RunningEngine(Protocol):
    """The part of `EngineClient` that answers."""

    def run(self, request: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """Stream one answer."""


async def said_by(engine: RunningEngine, request: Generate) -> str:
    """The answer without its thinking; nothing of one that was stopped. Raises EngineError."""
    parts: list[str] = []
    async with aclosing(engine.run(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta) and event.span == "answer":
                parts.append(event.text)
            elif isinstance(event, Finished) and event.reason == "cancelled":
                return ""
    return "".join(parts)
