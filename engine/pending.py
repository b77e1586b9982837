"""Requests on their way: which events belong to which caller."""

from __future__ import annotations

import asyncio
import itertools

from engine.errors import EngineStopped, OverBudget, RequestFailed
from engine.protocol import AnyEvent, Failed


class PendingRequests:
    """Hands out ids and keeps one queue of events a request."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._queues: dict[int, asyncio.Queue[AnyEvent | EngineStopped]] = {}

    def next_id(self) -> int:
        """An id never used before in this terminal process."""
        return next(self._ids)

    def open(self, id: int) -> None:
        """Expect events for this id."""
        self._queues[id] = asyncio.Queue()

    def close(self, id: int) -> None:
        """Drop the id; late events for it are ignored."""
        self._queues.pop(id, None)

    def deliver(self, id: int, event: AnyEvent) -> None:
        """Pass an event to whoever waits for it."""
        if queue := self._queues.get(id):
            queue.put_nowait(event)

    def fail_all(self, message: str) -> None:
        """The engine is gone: every waiting caller learns why."""
        for queue in self._queues.values():
            queue.put_nowait(EngineStopped(message))

    async def next_event(self, id: int) -> AnyEvent:
        """The next event of one request. Raises RequestFailed, EngineStopped."""
        event = await self._queues[id].get()
        if isinstance(event, EngineStopped):
            raise event
        if isinstance(event, Failed):
            raise request_error(event)
        return event


def request_error(event: Failed) -> RequestFailed:
    """The error a failed command raises."""
    if event.kind == "over-budget":
        return OverBudget(event.message)
    return RequestFailed(event.message)
