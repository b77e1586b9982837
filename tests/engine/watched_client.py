"""A client with everything it was told, and what tests wait for."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from engine.client import EngineClient
from engine.process import EngineLaunch
from engine.protocol import Finished, MemoryReport, Message, PromptProgress, TextDelta
from engine.status import EngineStatus
from engine.watchdog import Watchdog
from tests.engine.harness import GREEDY, PATIENCE


class WatchedClient:
    """Wraps a client; `statuses` and `reports` are what its listener heard."""

    def __init__(self, launch: EngineLaunch, watchdog: Watchdog | None = None) -> None:
        self.statuses: list[EngineStatus] = []
        self.reports: list[MemoryReport] = []
        self.partial = ""
        self.client = EngineClient(launch, self.listen, watchdog)

    def listen(self, news: EngineStatus | MemoryReport) -> None:
        if isinstance(news, MemoryReport):
            self.reports.append(news)
        else:
            self.statuses.append(news)

    async def say(
        self,
        text: str,
        conversation: str = "",
        max_tokens: int | None = None,
        on_event: Callable[[object], object] = lambda _: None,
    ) -> Finished:
        """Ask; `partial` grows with the answer, whatever becomes of it."""
        self.partial = ""
        message = [Message("user", text)]
        async for event in self.client.generate(message, conversation, GREEDY, max_tokens):
            on_event(event)
            if isinstance(event, TextDelta):
                self.partial += event.text
        assert isinstance(event, Finished)
        return event

    async def until(self, kind: type[EngineStatus]) -> EngineStatus:
        """Wait until the status is of this kind."""
        async with asyncio.timeout(PATIENCE):
            while not isinstance(self.client.status, kind):
                await asyncio.sleep(0.01)
        return self.client.status

    async def new_pid(self, old: int | None = None) -> int:
        """Wait for a process other than `old`."""
        async with asyncio.timeout(PATIENCE):
            while self.client.pid in {None, old}:
                await asyncio.sleep(0.002)
        assert self.client.pid is not None
        return self.client.pid

    def kill(self, number: signal.Signals = signal.SIGKILL) -> int:
        assert self.client.pid is not None
        os.kill(self.client.pid, number)
        return self.client.pid

    def kill_at(
        self, kind: type[PromptProgress] | type[TextDelta], number: signal.Signals, count: int = 1
    ) -> Callable[[object], None]:
        """Kill the engine at the so-manieth event of a kind."""
        left = [count]

        def act(event: object) -> None:
            if isinstance(event, kind):
                left[0] -= 1
                if left[0] == 0:
                    self.kill(number)

        return act


@asynccontextmanager
async def watched_client(
    launch: EngineLaunch, model: str = "", watchdog: Watchdog | None = None
) -> AsyncIterator[WatchedClient]:
    """A running client, with a model when one is named."""
    watched = WatchedClient(launch, watchdog)
    async with watched.client:
        if model:
            await watched.client.load(model)
        yield watched


async def is_gone(pid: int, seconds: float = 2.0) -> bool:
    """Whether a process ends in that time; one that only waits to be reaped has ended."""
    try:
        async with asyncio.timeout(seconds):
            while psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie":
                await asyncio.sleep(0.01)
    except TimeoutError:
        return False
    except psutil.NoSuchProcess:
        return True
    return True


def open_descriptors() -> int:
    """How many files this process has open."""
    return len(list(Path("/dev/fd").iterdir()))
