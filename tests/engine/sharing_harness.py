"""An app that shares its engine, in this process, and guests of it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.config import EngineConfig
from engine.framing import FrameSplitter, encode_frame
from engine.process import EngineLaunch
from engine.protocol import Command
from engine.sharing.attach import attach
from engine.sharing.host import EngineHost
from engine.sharing.messages import HostEvent, decode_host_event
from engine.sharing.place import SharingPlace
from tests.engine.harness import PATIENCE
from tests.engine.watched_client import WatchedClient


@dataclass(frozen=True)
class Shared:
    """The host's own client and the place it shares from."""

    watched: WatchedClient
    host: EngineHost
    place: SharingPlace


@asynccontextmanager
async def sharing_host(
    launch: EngineLaunch, model: str = "", folder: Path | None = None
) -> AsyncIterator[Shared]:
    """A host with a model when one is named."""
    with tempfile.TemporaryDirectory(prefix="zib-run-") as temporary:
        place = SharingPlace(folder or Path(temporary))
        place.make_safe()
        lock = place.lock()
        assert lock is not None
        watched = WatchedClient(launch)
        host = EngineHost(watched.client.session, place, lock)
        await host.open()
        async with watched.client:
            try:
                if model:
                    await watched.client.load(model)
                yield Shared(watched, host, place)
            finally:
                await host.close()


@asynccontextmanager
async def guest_of(folder: Path) -> AsyncIterator[WatchedClient]:
    """An attached client."""
    watched = WatchedClient(EngineLaunch(EngineConfig("")))
    client = await attach(folder, watched.listen)
    assert client is not None
    watched.client = client
    async with client:
        yield watched


@asynccontextmanager
async def company(
    launch: EngineLaunch, model: str = ""
) -> AsyncIterator[tuple[WatchedClient, WatchedClient, WatchedClient]]:
    """The host's client and two guests'."""
    async with sharing_host(launch, model) as shared:
        folder = shared.place.folder
        async with guest_of(folder) as first, guest_of(folder) as second:
            yield shared.watched, first, second


class RawGuest:
    """A connection that may send anything."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.heard: list[HostEvent] = []
        self._splitter = FrameSplitter()

    def send(self, *commands: Command) -> None:
        self.writer.write(b"".join(encode_frame(command) for command in commands))

    async def hear(self, kind: type[HostEvent], id: int | None = None) -> HostEvent:
        """The next event of a kind."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for event in self.heard:
                    if isinstance(event, kind) and id in {None, getattr(event, "id", None)}:
                        self.heard.remove(event)
                        return event
                data = await self.reader.read(1 << 16)
                assert data, "the host closed the connection"
                self.heard += [decode_host_event(body) for body in self._splitter.feed(data)]

    async def is_sent_away(self, seconds: float = 10.0) -> bool:
        """Whether the host closes the connection in that time."""
        try:
            async with asyncio.timeout(seconds):
                while await self.reader.read(1 << 16):
                    pass
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        return True


@asynccontextmanager
async def raw_guest(folder: Path) -> AsyncIterator[RawGuest]:
    """A connection without a client behind it."""
    connection = SharingPlace(folder).connect()
    assert connection is not None
    reader, writer = await asyncio.open_connection(sock=connection)
    try:
        yield RawGuest(reader, writer)
    finally:
        writer.transport.abort()
