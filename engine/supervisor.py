"""Keeps one engine process alive: starts it, reads it, watches it, replaces it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Protocol

from engine.errors import EngineStopped, ProtocolError
from engine.framing import FrameSplitter, decode_event, encode_frame
from engine.process import EngineLaunch, EngineProcess, describe_exit, start_engine
from engine.protocol import (
    PROTOCOL_VERSION,
    AnyCommand,
    AnyEvent,
    Ping,
    Pong,
    Shutdown,
    WorkerReady,
)
from engine.restarts import RestartPolicy
from engine.watchdog import PING_SECONDS, Watchdog

SHUTDOWN_SECONDS = 2.0
_CHUNK = 64 * 1024
_PING_ID = 0


class Supervised(Protocol):
    """Who a supervisor reports to."""

    def on_starting(self) -> None:
        """A process is about to start."""

    def on_event(self, event: AnyEvent) -> None:
        """The process said something."""

    def on_death(self, reason: str, delay: float | None) -> None:
        """It died; it comes back after `delay` seconds, or not at all when None."""


class Supervisor:
    """Owns at most one engine process at a time."""

    def __init__(self, launch: EngineLaunch, owner: Supervised, watchdog: Watchdog) -> None:
        self._launch = launch
        self._owner = owner
        self._watchdog = watchdog
        self.restarts = RestartPolicy()
        self._process: EngineProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._log = ""

    def ensure_running(self) -> None:
        """Start supervising in the background unless that is going on."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._supervise())

    def write(self, command: AnyCommand) -> None:
        """Send a command to the running process. Raises EngineStopped, ProtocolError."""
        frame = encode_frame(command)
        if self._process is None or self._process.writer.is_closing():
            raise EngineStopped("The engine is not running.")
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
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        process, self._process = self._process, None
        if process is None:
            return
        if not process.writer.is_closing():
            process.writer.write(encode_frame(Shutdown(_PING_ID)))
        await _within(SHUTDOWN_SECONDS, process.process.wait())
        process.kill()
        await process.wait()

    async def _supervise(self) -> None:
        while True:
            reason = await self._run_once()
            delay = self.restarts.next_delay()
            self._owner.on_death(reason, delay)
            if delay is None:
                return
            await asyncio.sleep(delay)

    async def _run_once(self) -> str:
        """One process from start to end; returns why it ended."""
        self._owner.on_starting()
        try:
            self._process = process = await start_engine(self._launch)
        except EngineStopped as error:
            return str(error)
        self._watchdog.restart()
        reading = asyncio.create_task(self._read(process))
        watching = asyncio.create_task(self._watch(process))
        try:
            await asyncio.wait([reading, watching], return_when=asyncio.FIRST_COMPLETED)
            blame = next((task.result() for task in (watching, reading) if task.done()), None)
        finally:
            reading.cancel()
            watching.cancel()
        if blame is not None:
            process.kill()
        else:
            await _within(SHUTDOWN_SECONDS, process.process.wait())
            process.kill()
        status = await process.wait()
        self._process, self._log = None, process.log.text
        return blame or describe_exit(status)

    async def _read(self, process: EngineProcess) -> str | None:
        """Pass events on until the channel closes; returns a complaint about garbage."""
        splitter = FrameSplitter()
        try:
            while data := await process.reader.read(_CHUNK):
                for body in splitter.feed(data):
                    if complaint := self._pass_on(decode_event(body)):
                        return complaint
        except ProtocolError as error:
            return str(error)
        except ConnectionError:
            return None
        return None

    def _pass_on(self, event: AnyEvent) -> str | None:
        match event:
            case Pong():
                self._watchdog.hear(event)
            case WorkerReady(protocol_version=version) if version != PROTOCOL_VERSION:
                return f"it speaks another protocol version ({version}); restart `zib`"
            case _:
                self._owner.on_event(event)
        return None

    async def _watch(self, process: EngineProcess) -> str | None:
        while True:
            if complaint := self._watchdog.verdict():
                return complaint
            if not process.writer.is_closing():
                process.writer.write(encode_frame(Ping(_PING_ID)))
            await asyncio.sleep(PING_SECONDS)


async def _within(seconds: float, waiting: Coroutine[object, object, int]) -> None:
    """Wait for a process at most so long; giving up leaves it running."""
    try:
        await asyncio.wait_for(waiting, seconds)
    except TimeoutError:
        return
