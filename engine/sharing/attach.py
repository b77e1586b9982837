"""The engine of a running app, for a program that needs none of its own."""

from __future__ import annotations

from pathlib import Path

from engine.client import EngineClient
from engine.protocol import MemoryReport
from engine.session import Listener
from engine.sharing.connection import knock
from engine.sharing.guest_link import GuestLink
from engine.sharing.place import SharingPlace
from engine.status import EngineStatus


def _ignore(_: EngineStatus | MemoryReport) -> None:
    """The listener of a client nobody watches."""


async def attach(runtime_dir: Path, listener: Listener = _ignore) -> EngineClient | None:
    """A client of the app that shares its engine from this folder, or None when none answers.

    Use as `async with client:`. The listener hears the state of this moment first. When the app
    ends, the status becomes `EngineDown` with the reason and requests raise EngineStopped.
    """
    connection = await knock(SharingPlace(runtime_dir))
    if connection is None:
        return None
    client = EngineClient(lambda session: GuestLink(connection, session), listener)
    client.start()
    return client
