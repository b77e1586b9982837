"""The engine of one window: another window's while that runs, else its own, offered to others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.client import EngineClient
from engine.errors import EngineStopped, SharingUnavailable
from engine.process import EngineLaunch
from engine.protocol import AnyCommand
from engine.session import EngineSession, Listener
from engine.sharing.connection import HostConnection, knock
from engine.sharing.guest_link import GuestLink
from engine.sharing.place import HostLock, SharingPlace
from engine.supervisor import Supervisor
from engine.watchdog import Watchdog

if TYPE_CHECKING:
    from engine.sharing.host import EngineHost

SharingRole = Literal["guest", "host", "alone"]
HearRole = Callable[[SharingRole, str], None]
"""Hears every role, with a sentence for the user that is empty when all is as expected."""
SEARCH_SECONDS = 2.0
_TRY_SECONDS = 0.1
_NOW_HOST = "The window that ran the engine has ended; this one runs it now."
_NOW_GUEST = "The window that ran the engine has ended; another one runs it now."
_ALONE = "Another window holds the engine but does not answer; this one runs an engine of its own."


class WindowEngine:
    """`client` is used like any other; it moves between engines by itself and keeps its model."""

    def __init__(
        self, launch: EngineLaunch, runtime_dir: Path, listener: Listener, hear_role: HearRole
    ) -> None:
        self._launch = launch
        self._place = SharingPlace(runtime_dir)
        self._hear_role = hear_role
        self.client = EngineClient(self._open, listener)

    async def is_guest(self) -> bool:
        """Whether another window's engine answers; waits until that is known."""
        return await self._link.first_role() == "guest"

    def _open(self, session: EngineSession) -> SharedLink:
        self._link = SharedLink(self._launch, self._place, session, self._hear_role)
        return self._link


class SharedLink:
    """A link that is a guest's at first where another app shares its engine."""

    def __init__(
        self,
        launch: EngineLaunch,
        place: SharingPlace,
        session: EngineSession,
        hear_role: HearRole,
    ) -> None:
        self._place = place
        self._session = session
        self._hear_role = hear_role
        self._own = Supervisor(launch, session, Watchdog())
        self._current: GuestLink | Supervisor | None = None
        self._host: EngineHost | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False
        self._role: SharingRole | None = None
        self._first_role = asyncio.Event()

    @property
    def keeps_model(self) -> bool:
        """Only the host of a guest does."""
        return isinstance(self._current, GuestLink) and not self._current.is_over

    @property
    def pid(self) -> int | None:
        """The engine process's id, while it is known."""
        return self._current.pid if self._current else None

    @property
    def log(self) -> str:
        """What an engine of our own printed lately."""
        return self._own.log

    async def first_role(self) -> SharingRole:
        """What this window became when it started."""
        await self._first_role.wait()
        return self._role or "alone"

    def ensure_running(self) -> None:
        """Look for a host in the background, or keep our own engine running."""
        if self._is_closed:
            raise EngineStopped("The engine was closed.")
        if self._current is self._own:
            self._own.ensure_running()
        elif self._task is None:
            self._task = asyncio.create_task(self._settle())

    def revive(self) -> None:
        """As `ensure_running`; of an engine of our own earlier deaths no longer count."""
        self.ensure_running()
        if self._current is self._own:
            self._own.revive()

    def write(self, command: AnyCommand) -> None:
        """Send a command to whichever engine answers now. Raises ProtocolError."""
        if self._current is not None:
            self._current.write(command)

    async def close(self) -> None:
        """Leave; guests are let go only when our engine's memory is free for theirs."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        try:
            if self._current is not None:
                await self._current.close()
        finally:
            if self._host is not None:
                await self._host.close()

    async def _settle(self) -> None:
        """Be a guest for as long as there is a host; returns once the engine is our own."""
        while True:
            try:
                found = await self._search()
            except SharingUnavailable as error:
                self._run_own("alone", str(error))
                return
            if not isinstance(found, HostConnection):
                await self._become_host(found)
                return
            guest = GuestLink(found, self._session, comes_back_after=0.0)
            self._current = guest
            guest.ensure_running()
            self._tell_role("guest", _NOW_GUEST if self._role else "")
            await guest.until_ended()

    async def _search(self) -> HostConnection | HostLock | None:
        """A host, else the right to be it, else neither. Raises SharingUnavailable."""
        self._place.make_safe()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + SEARCH_SECONDS
        while loop.time() < deadline:
            if connection := await knock(self._place):
                return connection
            if lock := self._place.lock():
                return lock
            # Another window has the lock: it opens its socket in a moment.
            await asyncio.sleep(_TRY_SECONDS)
        return None

    async def _become_host(self, lock: HostLock | None) -> None:
        if lock is None:
            self._run_own("alone", _ALONE)
            return
        # Not needed for the first frame.
        from engine.sharing.host import EngineHost

        host = EngineHost(self._session, self._place, lock)
        try:
            await host.open()
        except SharingUnavailable as error:
            self._run_own("alone", str(error))
            return
        self._host = host
        self._run_own("host", _NOW_HOST if self._role else "")

    def _run_own(self, role: SharingRole, sentence: str) -> None:
        self._current = self._own
        self._own.ensure_running()
        self._tell_role(role, sentence)

    def _tell_role(self, role: SharingRole, sentence: str) -> None:
        self._role = role
        asyncio.get_running_loop().call_soon(self._hear_role, role, sentence)
        self._first_role.set()
