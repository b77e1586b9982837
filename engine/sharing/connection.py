"""A guest's end of the socket, up to its host's first word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from engine.errors import ProtocolError
from engine.framing import FrameSplitter
from engine.protocol import PROTOCOL_VERSION
from engine.sharing.messages import HostEvent, Welcome, decode_host_event
from engine.sharing.peer import is_own_peer
from engine.sharing.place import SharingPlace

WELCOME_SECONDS = 2.0
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class HostConnection:
    """An accepted guest; `events` goes on after the welcome."""

    welcome: Welcome
    events: AsyncGenerator[HostEvent, None]
    writer: asyncio.StreamWriter


async def knock(place: SharingPlace) -> HostConnection | None:
    """Connect to the app that shares its engine, or None.

    None also for an app that does not answer, lets nobody in or speaks another version.
    """
    if not place.is_safe or (ours := place.connect()) is None:
        return None
    if not is_own_peer(ours):
        ours.close()
        return None
    reader, writer = await asyncio.open_connection(sock=ours)
    events = _events(reader)
    try:
        async with asyncio.timeout(WELCOME_SECONDS):
            first = await anext(events)
        if isinstance(first, Welcome) and first.protocol_version == PROTOCOL_VERSION:
            return HostConnection(first, events, writer)
    except (StopAsyncIteration, ProtocolError, TimeoutError, OSError):
        pass
    except asyncio.CancelledError:
        writer.transport.abort()
        raise
    writer.transport.abort()
    return None


async def _events(reader: asyncio.StreamReader) -> AsyncGenerator[HostEvent, None]:
    """What the host says until it closes. Raises ProtocolError, OSError."""
    splitter = FrameSplitter()
    while data := await reader.read(_CHUNK):
        for body in splitter.feed(data):
            yield decode_host_event(body)
