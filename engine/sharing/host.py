"""Offers the engine of a running app to other programs of the same user."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Iterator
from typing import assert_never

from engine.errors import EngineError, SharingUnavailable
from engine.protocol import (
    NO_REQUEST,
    PROTOCOL_VERSION,
    AnyEvent,
    Event,
    Failed,
    MemoryReport,
    ModelLoaded,
    ModelLoading,
    ModelSlept,
    ModelUnloaded,
    WorkerReady,
)
from engine.session import EngineSession
from engine.sharing.guest import Guest
from engine.sharing.intake import received
from engine.sharing.messages import EngineLost, Welcome
from engine.sharing.peer import is_own_peer
from engine.sharing.place import HostLock, SharingPlace
from engine.sharing.router import RequestRouter
from engine.status import (
    EngineAsleep,
    EngineDown,
    EngineIdle,
    EngineLoading,
    EngineReady,
    EngineRestarting,
    EngineStarting,
    EngineStatus,
)

MOST_GUESTS = 32


class EngineHost:
    """Lives in the app's event loop and never waits for a guest."""

    def __init__(self, session: EngineSession, place: SharingPlace, lock: HostLock) -> None:
        self._session = session
        self._place = place
        self._lock = lock
        self._router = RequestRouter(session)
        self._guests: dict[Guest, asyncio.Task[None]] = {}
        self._numbers = itertools.count(1)
        self._report: MemoryReport | None = None
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Let guests in from now on. Raises SharingUnavailable; then there is nothing to close."""
        try:
            listener = self._place.listen()
        except SharingUnavailable:
            self._lock.release()
            raise
        try:
            self._server = await asyncio.start_server(self._serve, sock=listener)
        except asyncio.CancelledError:
            listener.close()
            self._lock.release()
            raise
        self._session.audience = self

    async def close(self) -> None:
        """Send every guest away and leave the place to the next host."""
        self._session.audience = None
        if self._server is None:
            return
        self._place.clear()
        self._server.close()
        for guest in self._guests:
            guest.leave()
        await asyncio.gather(*self._guests.values(), return_exceptions=True)
        self._lock.release()
        self._server = None

    def on_event(self, event: AnyEvent) -> None:
        """Told by the session."""
        match event:
            case MemoryReport():
                self._report = event
                self._broadcast(event)
            case WorkerReady():
                self._broadcast(event)
            case ModelSlept():
                self._router.load.tell(self._guests, event)
            case ModelLoading() | ModelLoaded() | ModelUnloaded() | Failed() if (
                self._session.wanted.is_meant_by(event)
            ):
                self._router.load.tell(self._guests, event)
            case _:
                self._router.deliver(event)

    def on_death(self, message: str, delay: float | None) -> None:
        """Told by the session."""
        self._report = None
        self._router.lose()
        self._broadcast(EngineLost(message, delay))

    def _broadcast(self, event: Event) -> None:
        for guest in self._guests:
            guest.send(event)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection from its first to its last byte."""
        task = asyncio.current_task()
        is_welcome = is_own_peer(writer.get_extra_info("socket"))
        if task is None or not is_welcome or len(self._guests) >= MOST_GUESTS:
            writer.transport.abort()
            return
        guest = Guest(next(self._numbers), writer.transport)
        guest.send(Welcome(PROTOCOL_VERSION, tuple(self._state())))
        self._guests[guest] = task
        try:
            async with contextlib.aclosing(received(reader)) as commands:
                async for command in commands:
                    self._router.take(guest, command)
        except (EngineError, TimeoutError, OSError):
            # Whatever it sent or failed to send, it is only shown the door.
            pass
        finally:
            guest.leave()
            del self._guests[guest]
            self._router.part(guest)

    def _state(self) -> Iterator[AnyEvent | EngineLost]:
        """What a guest must hear to know what the others know."""
        session = self._session
        if session.worker is not None:
            yield session.worker
        yield from _model_state(session.status)
        if session.wanted.is_coming and not isinstance(session.status, EngineLoading):
            yield ModelLoading(NO_REQUEST, "choosing the model")
        if self._report is not None:
            yield self._report


def _model_state(status: EngineStatus) -> Iterator[AnyEvent | EngineLost]:
    match status:
        case EngineStarting() | EngineIdle():
            pass
        case EngineLoading(stage=stage):
            yield ModelLoading(NO_REQUEST, stage)
        case EngineReady(model=model):
            yield ModelLoaded(NO_REQUEST, model, 0.0)
        case EngineAsleep(model=model):
            yield ModelLoaded(NO_REQUEST, model, 0.0)
            yield ModelSlept(NO_REQUEST)
        case EngineRestarting(reason=reason, delay=delay):
            yield EngineLost(reason, delay)
        case EngineDown(reason=reason):
            yield EngineLost(reason, None)
        case _:
            assert_never(status)
