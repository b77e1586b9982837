"""Answers under way: each waits for its model, streams, and can be stopped at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from msgspec.structs import replace

from engine.errors import EngineStopped, RequestFailed
from engine.protocol import (
    Cancel,
    Finished,
    Generate,
    PromptProgress,
    TextDelta,
    ToolCallMalformed,
    ToolCallRequested,
    Usage,
    is_last,
)
from engine.session import EngineSession

AnswerEvent = PromptProgress | TextDelta | ToolCallRequested | ToolCallMalformed | Finished
_NOTHING_USED = Usage(0, 0, 0, 0, 0.0, 0.0, 0.0)


class Answers:
    """All answers of one client."""

    def __init__(self, session: EngineSession) -> None:
        self._session = session
        self._stops: dict[int, asyncio.Event] = {}
        self._conversations: dict[int, str] = {}

    async def stream(self, command: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """Send a command under an id of its own, and pass on what the engine makes of it.

        Raises RequestFailed, EngineStopped, ProtocolError.
        """
        requests, link = self._session.requests, self._session.link
        command = replace(command, id=requests.next_id())
        id = command.id
        self._stops[id], self._conversations[id] = asyncio.Event(), command.conversation
        is_running = False
        try:
            if await self._is_stopped_before_model(id):
                yield Finished(id, "cancelled", _NOTHING_USED)
                return
            # Not before: a death while it waited is none of its own.
            requests.open(id)
            link.write(command)
            is_running = True
            while is_running:
                event = await requests.next_event(id)
                is_running = not is_last(event)
                if isinstance(event, AnswerEvent):
                    yield event
        except (EngineStopped, RequestFailed):
            is_running = False
            raise
        finally:
            del self._stops[id], self._conversations[id]
            requests.close(id)
            if is_running:
                link.write(Cancel(id))

    def stop(self, conversation: str | None = None) -> None:
        """Cancel a conversation's answer, or every one; each still ends with its `Finished`."""
        for id, stop in self._stops.items():
            if conversation in (None, self._conversations[id]):
                stop.set()
                self._session.link.write(Cancel(id))

    async def _is_stopped_before_model(self, id: int) -> bool:
        """Wait for the model; true when the user gives up first. Raises as that waiting does."""
        if self._session.wanted.choice is not None:
            self._session.revive()
        stop = self._stops[id]
        while not stop.is_set() and self._session.wanted.model is None:
            # Once more when the model was lost again before this task ran.
            await self._wait_for_model(stop)
        return stop.is_set()

    async def _wait_for_model(self, stop: asyncio.Event) -> None:
        model = asyncio.create_task(self._session.wanted.wait_for_last())
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([model, stopped], return_when=asyncio.FIRST_COMPLETED)
            if model.done():
                model.result()
        finally:
            model.cancel()
            stopped.cancel()
