"""Speaks the engine's protocol by hand, so that tests see every event and its time."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from engine.framing import FrameSplitter, decode_event, encode_frame
from engine.process import EngineLaunch, EngineProcess, start_engine
from engine.protocol import (
    AnyCommand,
    AnyEvent,
    Finished,
    Generate,
    LoadModel,
    MemoryReport,
    Message,
    ModelInfo,
    ModelLoaded,
    Sampling,
    TextDelta,
    WorkerReady,
    is_last,
)

GREEDY = Sampling(temperature=0.0)
PATIENCE = 60.0
_E = TypeVar("_E", bound=AnyEvent)


@dataclass(frozen=True)
class Heard:
    """One event and when it arrived."""

    at: float
    event: AnyEvent


@dataclass(frozen=True)
class Outcome:
    """Everything one `Generate` caused."""

    events: list[AnyEvent]

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def finished(self) -> Finished:
        (last,) = [event for event in self.events if is_last(event)]
        assert isinstance(last, Finished), last
        return last


@dataclass
class RawEngine:
    """An engine process and all it has said."""

    process: EngineProcess
    heard: list[Heard] = field(default_factory=list)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(100))
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def next_id(self) -> int:
        return next(self._ids)

    def send(self, *commands: AnyCommand) -> None:
        """All in one write, so that they arrive together."""
        self.process.writer.write(b"".join(encode_frame(command) for command in commands))

    def of(self, id: int) -> list[AnyEvent]:
        """The events that carry this id."""
        return [heard.event for heard in self.heard if getattr(heard.event, "id", None) == id]

    def reports(self) -> list[tuple[float, MemoryReport]]:
        return [(h.at, h.event) for h in self.heard if isinstance(h.event, MemoryReport)]

    async def read(self) -> None:
        """Collect events until the process closes its channel."""
        splitter = FrameSplitter()
        while data := await self.process.reader.read(1 << 16):
            for body in splitter.feed(data):
                self.heard.append(Heard(time.monotonic(), decode_event(body)))
            self._news.set()

    async def until(self, kind: type[_E], id: int | None = None, count: int = 1) -> _E:
        """Wait for the so-manieth event of a kind (and id)."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = [
                    heard.event
                    for heard in self.heard
                    if isinstance(heard.event, kind)
                    and (id is None or getattr(heard.event, "id", None) == id)
                ]
                if len(found) >= count:
                    return found[count - 1]
                self._news.clear()
                await self._news.wait()

    async def last(self, id: int) -> AnyEvent:
        """Wait for a command's last event."""
        async with asyncio.timeout(PATIENCE):
            while True:
                if last := [event for event in self.of(id) if is_last(event)]:
                    return last[0]
                self._news.clear()
                await self._news.wait()

    async def ask(self, command: AnyCommand) -> AnyEvent:
        self.send(command)
        return await self.last(command.id)

    async def load(self, path: str) -> ModelInfo:
        loaded = await self.ask(LoadModel(self.next_id(), path))
        assert isinstance(loaded, ModelLoaded), loaded
        return loaded.model

    async def answer(
        self,
        *turns: str,
        conversation: str = "",
        max_tokens: int | None = 8,
        sampling: Sampling = GREEDY,
        stop: tuple[str, ...] = (),
    ) -> Outcome:
        """Ask with alternating user and assistant turns and wait for the end."""
        command = Generate(self.next_id(), talk(*turns), conversation, sampling, max_tokens, stop)
        await self.ask(command)
        return Outcome(self.of(command.id))


def talk(*turns: str) -> tuple[Message, ...]:
    """Messages that alternate between user and assistant."""
    return tuple(
        Message("user" if index % 2 == 0 else "assistant", text) for index, text in enumerate(turns)
    )


@asynccontextmanager
async def raw_engine(launch: EngineLaunch) -> AsyncIterator[RawEngine]:
    """Start an engine without supervision and wait until it is ready."""
    engine = RawEngine(await start_engine(launch))
    reading = asyncio.create_task(engine.read())
    try:
        await engine.until(WorkerReady)
        yield engine
    finally:
        reading.cancel()
        engine.process.kill()
        await engine.process.wait()
