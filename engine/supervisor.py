"""Keeps one engine process alive: starts it, reads it, watches it, replaces it."""

from __future__ import annotations

import asyncio

from engine.errors import EngineStopped, ProtocolError
from engine.framing import FrameSplitter, decode_event, encode_frame
from engine.link import LinkOwner
from engine.process import EngineLaunch, EngineProcess, describe_exit, start_engine
from engine.protocol import (
    NO_REQUEST,
    PROTOCOL_VERSION,
    AnyCommand,
    AnyEvent,
    Failed,
    Finished,
    MemoryReport,
    Ping,
    Pong,
    Shutdown,
    WorkerReady,
)
from engine.restarts import RestartPolicy
from engine.watchdog import Watchdog

SHUTDOWN_SECONDS = 2.0
SAVE_SECONDS = 3.0
"""What an engine gets beside that which has something to save, or may have."""
_CHUNK = 64 * 1024


class Supervisor:
    """A link to an engine process of our own; at most one at a time."""

    keeps_model = False

    def __init__(self, launch: EngineLaunch, owner: LinkOwner, watchdog: Watchdog) -> None:
        self._launch = launch
        self._owner = owner
        self._watchdog = watchdog
        self._restarts = RestartPolicy()
        self._process: EngineProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        self._has_unsaved = False
        self._last_words = ""
        self._log = ""

    def ensure_running(self) -> None:
        """Start supervising in the background unless that is going on.

        Raises EngineStopped after `close`.
        """
        if self._is_closed:
            raise EngineStopped("The engine was closed.")
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._supervise())

    def revive(self) -> None:
        """As `ensure_running`; the engine may start again however often it died before."""
        self.ensure_running()
        self._restarts.forget()

    def write(self, command: AnyCommand) -> None:
        """Send a command; to a process that is just dying it is lost, and `on_death` follows.

        Needs no flow control: the engine reads at all times, and its reader does little else.
        Raises ProtocolError for what cannot be sent.
        """
        frame = encode_frame(command)
        if self._process is not None and not self._process.writer.is_closing():
            self._process.writer.write(frame)

    @property
    def pid(self) -> int | None:
        """The running process's id."""
        return self._process.process.pid if self._process else None

    @property
    def log(self) -> str:
        """What the running engine, or else the last one, printed."""
        return self._process.log.text if self._process else self._log

    async def close(self) -> None:
        """Ask the engine to leave, then make it; it is gone when this returns."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if (process := self._process) is None:
            return
        self.write(Shutdown(NO_REQUEST, SAVE_SECONDS))
        process.writer.close()
        await process.ends_within(SHUTDOWN_SECONDS + SAVE_SECONDS * self._has_unsaved)
        await self._bury(process)

    async def _supervise(self) -> None:
        while True:
            self._owner.on_starting()
            reason = await self._run_once()
            delay = self._restarts.next_delay()
            self._owner.on_death(f"The engine stopped: {reason}.", delay)
            if delay is None:
                return
            await asyncio.sleep(delay)

    async def _run_once(self) -> str:
        """One process from start to end; returns why it ended."""
        try:
            self._process = process = await start_engine(self._launch)
        except EngineStopped as error:
            return str(error)
        self._last_words, self._has_unsaved = "", False
        self._watchdog.restart()
        blame = await self._until_lost(process)
        if blame is None and not await process.ends_within(SHUTDOWN_SECONDS):
            blame = "it closed its channel without ending"
        status = await self._bury(process)
        return self._last_words or blame or describe_exit(status)

    async def _until_lost(self, process: EngineProcess) -> str | None:
        """Wait until the channel closes or the process must go; returns the complaint."""
        reading = asyncio.create_task(self._read(process))
        watching = asyncio.create_task(self._watch(process))
        try:
            await asyncio.wait([reading, watching], return_when=asyncio.FIRST_COMPLETED)
            # Both may be done; garbage explains more than the silence that follows it.
            return next(task.result() for task in (reading, watching) if task.done())
        finally:
            reading.cancel()
            watching.cancel()

    async def _bury(self, process: EngineProcess) -> int:
        """Kill what is left of it, reap it and keep its log; returns the exit status."""
        process.kill()
        status = await process.wait()
        self._process, self._log = None, process.log.text
        return status

    async def _read(self, process: EngineProcess) -> str | None:
        """Pass events on until the channel closes; returns a complaint about garbage."""
        splitter = FrameSplitter()
        try:
            while data := await process.reader.read(_CHUNK):
                for body in splitter.feed(data):
                    if complaint := self._pass_on(decode_event(body)):
                        return complaint
        except ProtocolError as error:
            return f"it sent something unreadable ({error})"
        except ConnectionError:
            return None
        return None

    def _pass_on(self, event: AnyEvent) -> str | None:
        match event:
            case Pong(id=id) if id == NO_REQUEST:
                self._watchdog.hear(event)
            case Failed(id=id, message=message) if id == NO_REQUEST:
                self._last_words = message
            case WorkerReady(protocol_version=version) if version != PROTOCOL_VERSION:
                return f"it speaks another protocol version ({version}); restart `zib`"
            case Finished():
                self._has_unsaved = True
                self._owner.on_event(event)
            case MemoryReport():
                self._has_unsaved = event.disk_tier_pending_bytes > 0
                self._owner.on_event(event)
            case WorkerReady():
                self._watchdog.hear_ready()
                self._owner.on_event(event)
            case _:
                self._owner.on_event(event)
        return None

    async def _watch(self, process: EngineProcess) -> str | None:
        while True:
            if complaint := self._watchdog.verdict():
                return complaint
            self.write(Ping(NO_REQUEST))
            await asyncio.sleep(self._watchdog.ping_seconds)
