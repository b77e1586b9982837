"""What the client knows of the engine across its processes: status, model, open requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from engine.errors import EngineError, EngineStopped, RequestFailed
from engine.link import Audience, Link
from engine.pending import PendingRequests
from engine.protocol import (
    NO_REQUEST,
    AnyCommand,
    AnyEvent,
    Failed,
    LoadModel,
    MemoryReport,
    ModelLoaded,
    ModelLoading,
    ModelSlept,
    ModelUnloaded,
    UnloadModel,
    WorkerReady,
)
from engine.status import (
    EngineAsleep,
    EngineDown,
    EngineIdle,
    EngineLoading,
    EngineRestarting,
    EngineStarting,
    EngineStatus,
)
from engine.wanted_model import ModelChoice, WantedModel

OpenLink = Callable[["EngineSession"], Link]
Listener = Callable[[EngineStatus | MemoryReport], None]
_E = TypeVar("_E", bound=AnyEvent)
_UNLOADED = "The model was unloaded."
_CHOOSING = "choosing the model"
_QUEUED = "waiting its turn"
_ADVICE = " Starting it again did not help: choose a smaller model, or see `zib doctor`."


class EngineSession:
    """Follows the link's news, loads the wanted model into every new process."""

    def __init__(self, open_link: OpenLink, listener: Listener) -> None:
        self._listener = listener
        self.requests = PendingRequests()
        self.wanted = WantedModel()
        self.worker: WorkerReady | None = None
        self.status: EngineStatus = EngineStarting()
        self.audience: Audience | None = None
        self._is_closed = False
        self._changed = asyncio.Event()
        self.link = open_link(self)

    @property
    def is_serving(self) -> bool:
        """Whether there is a process that takes commands."""
        return self.worker is not None

    def revive(self) -> None:
        """A request of the user's: the engine may start again however often it died before.

        Raises EngineStopped after `close`.
        """
        self.link.revive()
        if self.link.keeps_model and isinstance(self.status, EngineDown) and self.wanted.choice:
            self._send_load(self.wanted.choice)

    def choose(self, choice: ModelChoice) -> None:
        """Want this model from now on."""
        self.wanted.choose(choice)
        if self.is_serving or self.link.keeps_model:
            self._send_load(choice)

    def expect_model(self) -> None:
        """Requests wait for a model that is being looked for."""
        self.wanted.expect()
        if self.wanted.choice is None:
            self._tell_audience(ModelLoading(NO_REQUEST, _CHOOSING))

    def abandon_model(self, error: EngineError) -> None:
        """There is to be no model; whoever waits for one learns why."""
        self.wanted.drop(error)
        self._tell_audience(Failed(NO_REQUEST, "no-model", str(error)))

    async def unload(self) -> None:
        """Free the model. Raises EngineStopped."""
        self.abandon_model(RequestFailed(_UNLOADED))
        if self.is_serving:
            await self.ask(UnloadModel(self.requests.next_id()), ModelUnloaded)

    async def until_serving(self) -> None:
        """Wait for a process that takes commands. Raises EngineStopped when none is coming."""
        while not self.is_serving:
            if self._is_closed:
                raise EngineStopped("The engine was closed.")
            if isinstance(self.status, EngineDown):
                raise EngineStopped(self.status.reason)
            await self._changed.wait()

    async def ask(self, command: AnyCommand, expected: type[_E]) -> _E:
        """Send a command and wait for its last event. Raises RequestFailed, EngineStopped."""
        self.requests.open(command.id)
        try:
            self.link.write(command)
            while True:
                event = await self.requests.next_event(command.id)
                if isinstance(event, expected):
                    return event
        finally:
            self.requests.close(command.id)

    async def close(self, message: str) -> None:
        """End the process and everything that waits for it."""
        self._is_closed = True
        await self.link.close()
        self.worker = None
        self.requests.fail_all(message)
        self.wanted.drop(EngineStopped(message))
        self._pulse()

    def on_starting(self) -> None:
        """Told by the link."""
        self._set_status(EngineStarting())

    def on_event(self, event: AnyEvent) -> None:
        """Told by the link: the engine said something."""
        self._tell_audience(event)
        match event:
            case MemoryReport():
                self._tell(event)
            case WorkerReady():
                self._on_ready(event)
            case ModelSlept() if self.wanted.model is not None:
                self._set_status(EngineAsleep(self.wanted.model))
            case ModelLoading() | ModelLoaded() | ModelUnloaded() | Failed() if (
                self.wanted.is_meant_by(event)
            ):
                self._set_status(self.wanted.follow(event))
            case ModelUnloaded(id=id):
                if self.wanted.choice is None:
                    self._set_status(EngineIdle())
                self.requests.deliver(id, event)
            case _:
                self.requests.deliver(event.id, event)

    def on_death(self, message: str, delay: float | None) -> None:
        """Told by the link: the engine is gone."""
        self.worker = None
        self.requests.fail_all(message)
        self.wanted.lose()
        if delay is not None:
            self._set_status(EngineRestarting(message, delay))
        else:
            self._set_status(EngineDown(message))
            advice = "" if self.link.keeps_model else _ADVICE
            self.wanted.give_up(EngineStopped(message + advice))
        if self.audience is not None:
            self.audience.on_death(message, delay)

    def _on_ready(self, worker: WorkerReady) -> None:
        self.worker = worker
        if self.wanted.choice is None:
            self._set_status(EngineIdle())
        elif self.link.keeps_model:
            self._set_status(EngineLoading(self.wanted.choice.path, "starting"))
        else:
            self._send_load(self.wanted.choice)
        self._pulse()

    def _send_load(self, choice: ModelChoice) -> None:
        self.wanted.load_id = self.requests.next_id()
        self._set_status(EngineLoading(choice.path, _QUEUED))
        self.link.write(
            LoadModel(
                self.wanted.load_id,
                choice.path,
                choice.adapter,
                choice.is_forced,
                choice.draft,
                choice.is_draft_optional,
            )
        )

    def _set_status(self, status: EngineStatus) -> None:
        self.status = status
        self._tell(status)
        self._pulse()

    def _pulse(self) -> None:
        """Wake whoever waits for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _tell(self, news: EngineStatus | MemoryReport) -> None:
        # Through the loop: a fault in the listener must not take the link down.
        asyncio.get_running_loop().call_soon(self._listener, news)

    def _tell_audience(self, event: AnyEvent) -> None:
        if self.audience is not None:
            self.audience.on_event(event)
