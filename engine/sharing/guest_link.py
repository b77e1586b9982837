"""A link to the engine of another app, for as long as that app runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from engine.errors import EngineStopped, ProtocolError
from engine.framing import encode_frame
from engine.link import LinkOwner
from engine.protocol import NO_REQUEST, AnyCommand, Ping, Pong, WorkerReady
from engine.sharing.connection import HostConnection
from engine.sharing.messages import EngineLost, HostEvent, Welcome
from engine.watchdog import Watchdog

HOST_ENDED = "The app that shared its engine has ended."
HOST_SILENT = "The app that shared its engine does not answer."


class GuestLink:
    """The host watches and restarts the engine; this watches the host."""

    keeps_model = True
    log = ""

    def __init__(
        self, connection: HostConnection, owner: LinkOwner, comes_back_after: float | None = None
    ) -> None:
        """`comes_back_after` is what the owner hears when the host ends."""
        self._connection = connection
        self._owner = owner
        self._comes_back_after = comes_back_after
        self._watchdog = Watchdog()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        self.is_over = False
        """Whether the host has ended."""
        self.pid: int | None = None

    def ensure_running(self) -> None:
        """Begin to listen; the state at the moment of attaching is told at once."""
        if self._is_closed:
            raise EngineStopped("The engine was closed.")
        if self._task is None:
            self._watchdog.hear_ready()
            self._tell(self._connection.welcome.state)
            self._task = asyncio.create_task(self._follow())

    def revive(self) -> None:
        """Raises EngineStopped once the host has ended: nothing brings it back."""
        self.ensure_running()
        if self.is_over:
            raise EngineStopped(HOST_ENDED)

    def write(self, command: AnyCommand) -> None:
        """Send a command; to a host that has ended it is lost. Raises ProtocolError."""
        frame = encode_frame(command)
        if not self._connection.writer.is_closing():
            self._connection.writer.write(frame)

    async def until_ended(self) -> None:
        """Wait until the host has ended and the owner knows it."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def close(self) -> None:
        """Leave; the host stops what was running for us."""
        self._is_closed = True
        self._connection.writer.transport.abort()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        """Listen and ping until the host ends or hangs."""
        reading = asyncio.create_task(self._read())
        watching = asyncio.create_task(self._watch())
        try:
            await asyncio.wait([reading, watching], return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()
            watching.cancel()
            await asyncio.gather(reading, watching, return_exceptions=True)
            self._connection.writer.transport.abort()
            self.pid = None
        self.is_over = True
        message = HOST_SILENT if watching.done() and not watching.cancelled() else HOST_ENDED
        self._owner.on_death(message, self._comes_back_after)

    async def _read(self) -> None:
        try:
            async for event in self._connection.events:
                self._tell([event])
        except (ProtocolError, OSError):
            # Garbage or a broken connection: this host is of no more use.
            return

    def _tell(self, events: Iterable[HostEvent]) -> None:
        for event in events:
            match event:
                case Pong(id=id) if id == NO_REQUEST:
                    self._watchdog.hear(event)
                case EngineLost(message=message, delay=delay):
                    self.pid = None
                    self._owner.on_death(message, delay)
                case Welcome():
                    pass
                case WorkerReady(pid=pid):
                    self.pid = pid
                    self._owner.on_event(event)
                case _:
                    self._owner.on_event(event)

    async def _watch(self) -> None:
        while self._watchdog.verdict() is None:
            self.write(Ping(NO_REQUEST))
            await asyncio.sleep(self._watchdog.ping_seconds)
