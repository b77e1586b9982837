"""What the client knows of the engine across its processes: status, model, open requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from engine.errors import EngineStopped, RequestFailed
from engine.pending import PendingRequests
from engine.process import EngineLaunch
from engine.protocol import (
    AnyCommand,
    AnyEvent,
    Failed,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    ModelLoading,
    WorkerReady,
)
from engine.status import (
    EngineDown,
    EngineIdle,
    EngineLoading,
    EngineReady,
    EngineRestarting,
    EngineStarting,
    EngineStatus,
)
from engine.supervisor import Supervisor
from engine.wanted_model import WantedModel
from engine.watchdog import Watchdog

Listener = Callable[[EngineStatus | MemoryReport], None]
_E = TypeVar("_E", bound=AnyEvent)


class EngineSession:
    """Follows the supervisor's news, loads the wanted model into every new process."""

    def __init__(self, launch: EngineLaunch, listener: Listener, watchdog: Watchdog) -> None:
        self._listener = listener
        self.supervisor = Supervisor(launch, self, watchdog)
        self.requests = PendingRequests()
        self.wanted = WantedModel()
        self.is_serving = False
        self.status: EngineStatus = EngineStarting()

    def choose(self, path: str) -> None:
        """Want this model from now on."""
        self.wanted.choose(path)
        if self.is_serving:
            self._send_load()

    def show_idle(self) -> None:
        """The process runs and holds no model."""
        self._set_status(EngineIdle())

    async def ask(self, command: AnyCommand, expected: type[_E]) -> _E:
        """Send a command and wait for its last event. Raises RequestFailed, EngineStopped."""
        self.requests.open(command.id)
        try:
            self.supervisor.write(command)
            while True:
                event = await self.requests.next_event(command.id)
                if isinstance(event, expected):
                    return event
        finally:
            self.requests.close(command.id)

    async def close(self, message: str) -> None:
        """End the process and everything that waits for it."""
        await self.supervisor.close()
        self.is_serving = False
        self.requests.fail_all(message)
        self.wanted.drop(EngineStopped(message))

    def on_starting(self) -> None:
        """Told by the supervisor."""
        self._set_status(EngineStarting())

    def on_event(self, event: AnyEvent) -> None:
        """Told by the supervisor: the engine said something."""
        match event:
            case MemoryReport():
                self._tell(event)
            case WorkerReady():
                self.is_serving = True
                if self.wanted.path:
                    self._send_load()
                else:
                    self.show_idle()
            case ModelLoading(id=id, stage=stage) if id == self.wanted.load_id:
                self._set_status(EngineLoading(self.wanted.path, stage))
            case ModelLoaded(id=id, model=model) if id == self.wanted.load_id:
                self.wanted.settle(model)
                self._set_status(EngineReady(model))
            case Failed(id=id, message=message) if id == self.wanted.load_id:
                self.wanted.drop(RequestFailed(message))
                self.show_idle()
            case _:
                self.requests.deliver(event.id, event)

    def on_death(self, reason: str, delay: float | None) -> None:
        """Told by the supervisor: the process is gone."""
        self.is_serving = False
        message = f"The engine stopped: {reason}."
        self.requests.fail_all(message)
        self.wanted.lose()
        if delay is not None:
            self._set_status(EngineRestarting(message, delay))
            return
        self._set_status(EngineDown(message))
        advice = "Starting it again did not help: choose a smaller model, or see `zib doctor`."
        self.wanted.give_up(EngineStopped(f"{message} {advice}"))

    def _send_load(self) -> None:
        self.wanted.load_id = self.requests.next_id()
        self._set_status(EngineLoading(self.wanted.path, "starting"))
        self.supervisor.write(LoadModel(self.wanted.load_id, self.wanted.path))

    def _set_status(self, status: EngineStatus) -> None:
        self.status = status
        self._tell(status)

    def _tell(self, news: EngineStatus | MemoryReport) -> None:
        # Through the loop: a fault in the listener must not take the supervisor down.
        asyncio.get_running_loop().call_soon(self._listener, news)
