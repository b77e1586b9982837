"""The terminal's side of the engine: requests in, events out.

Knows nothing about MLX nor about processes (see `supervisor`). A request that was running when
the engine died fails with `EngineStopped` and is never sent again by itself; the model comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TypeVar

from engine.errors import EngineStopped, RequestFailed
from engine.pending import PendingRequests
from engine.process import EngineLaunch
from engine.protocol import (
    AnyCommand,
    AnyEvent,
    CacheForgotten,
    Cancel,
    CountTokens,
    Failed,
    Finished,
    ForgetCache,
    Generate,
    LoadModel,
    MemoryReport,
    Message,
    ModelInfo,
    ModelLoaded,
    ModelLoading,
    ModelUnloaded,
    PromptProgress,
    Sampling,
    TextDelta,
    TokensCounted,
    UnloadModel,
    Usage,
    WorkerReady,
    is_last,
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
from engine.watchdog import Watchdog

AnswerEvent = PromptProgress | TextDelta | Finished
Listener = Callable[[EngineStatus | MemoryReport], None]
_E = TypeVar("_E", bound=AnyEvent)
_DEFAULT_SAMPLING = Sampling()
_NOTHING_USED = Usage(0, 0, 0, 0, 0.0, 0.0, 0.0)


def _ignore(_: EngineStatus | MemoryReport) -> None:
    """The listener of a client nobody watches."""


class EngineClient:
    """Use as `async with EngineClient(launch, listener) as engine:`."""

    def __init__(
        self, launch: EngineLaunch, listener: Listener = _ignore, watchdog: Watchdog | None = None
    ) -> None:
        self._listener = listener
        self._requests = PendingRequests()
        self._supervisor = Supervisor(launch, self, watchdog or Watchdog())
        self._waiting: dict[int, asyncio.Event] = {}
        self._is_serving = False
        self._wanted_path = ""
        self._load_id = 0
        self._model: asyncio.Future[ModelInfo] | None = None
        self.status: EngineStatus = EngineStarting()

    async def __aenter__(self) -> EngineClient:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Start the engine process in the background; needs a running event loop."""
        self._supervisor.ensure_running()

    async def close(self) -> None:
        """End the engine; it is gone when this returns."""
        await self._supervisor.close()
        self._requests.fail_all(EngineStopped("The engine was closed."))
        self._give_up_model("The engine was closed.")

    @property
    def pid(self) -> int | None:
        """The engine process's id, while there is one."""
        return self._supervisor.pid

    @property
    def log(self) -> str:
        """What the engine process printed lately."""
        return self._supervisor.log

    async def load(self, path: str) -> ModelInfo:
        """Load a model folder; it comes back by itself after a restart.

        Raises RequestFailed, EngineStopped.
        """
        self._wanted_path = path
        self._give_up_model("Another model was chosen.")
        return await self._until_model()

    async def unload(self) -> None:
        """Free the model and its caches."""
        self._wanted_path, self._model = "", None
        if self._is_serving:
            await self._ask(UnloadModel(self._requests.next_id()), ModelUnloaded)
            self._set_status(EngineIdle())

    async def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Token counts from the loaded model's tokenizer. Raises RequestFailed, EngineStopped."""
        await self._until_model()
        command = CountTokens(self._requests.next_id(), tuple(texts))
        return (await self._ask(command, TokensCounted)).counts

    async def forget(self, conversation: str) -> int:
        """Drop a conversation's KV cache; returns how many entries went."""
        if not self._is_serving:
            return 0
        command = ForgetCache(self._requests.next_id(), conversation)
        return (await self._ask(command, CacheForgotten)).entries

    async def generate(
        self,
        messages: Sequence[Message],
        conversation: str = "",
        sampling: Sampling = _DEFAULT_SAMPLING,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
        thinking: bool | None = None,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer a conversation; waits for a model that is still loading.

        Closing the generator stops the answer in the engine. Raises RequestFailed, EngineStopped,
        ProtocolError when the text is too long to send.
        """
        id = self._requests.next_id()
        self._requests.open(id)
        is_over = False
        try:
            if await self._is_stopped_before_model(id):
                is_over = True
                yield Finished(id, "cancelled", _NOTHING_USED)
                return
            self._supervisor.write(
                Generate(
                    id, tuple(messages), conversation, sampling, max_tokens, tuple(stop), thinking
                )
            )
            while not is_over:
                event = await self._requests.next_event(id)
                is_over = is_last(event)
                if isinstance(event, AnswerEvent):
                    yield event
        except (EngineStopped, RequestFailed):
            is_over = True
            raise
        finally:
            self._requests.close(id)
            if not is_over and self._is_serving:
                self._supervisor.write(Cancel(id))

    def stop_answers(self) -> None:
        """Cancel every running request; each answer still ends with its `Finished`."""
        for stop in self._waiting.values():
            stop.set()
        if self._is_serving:
            for id in self._requests.ids:
                self._supervisor.write(Cancel(id))

    def on_starting(self) -> None:
        """Told by the supervisor."""
        self._set_status(EngineStarting())

    def on_event(self, event: AnyEvent) -> None:
        """Told by the supervisor: the engine said something."""
        match event:
            case MemoryReport():
                self._listener(event)
            case WorkerReady():
                self._is_serving = True
                if self._wanted_path:
                    self._send_load()
                else:
                    self._set_status(EngineIdle())
            case ModelLoading(id=id, stage=stage) if id == self._load_id:
                self._set_status(EngineLoading(self._wanted_path, stage))
            case ModelLoaded(id=id, model=model) if id == self._load_id:
                self._settle_model(model)
            case Failed(id=id, message=message) if id == self._load_id:
                self._wanted_path = ""
                self._give_up_model(message, RequestFailed)
                self._set_status(EngineIdle())
            case _:
                self._requests.deliver(event.id, event)

    def on_death(self, reason: str, delay: float | None) -> None:
        """Told by the supervisor: the process is gone."""
        self._is_serving = False
        message = f"The engine stopped: {reason}."
        self._requests.fail_all(EngineStopped(message))
        if self._model is not None and self._model.done():
            self._model = None
        if delay is not None:
            self._set_status(EngineRestarting(message, delay))
            return
        self._set_status(EngineDown(message))
        self._give_up_model(f"{message} It was started again in vain; try a smaller model.")

    async def _until_model(self) -> ModelInfo:
        if not self._wanted_path:
            raise RequestFailed("No model is loaded: choose one first.")
        self._supervisor.restarts.forget()
        self._supervisor.ensure_running()
        if self._model is None:
            self._model = asyncio.get_running_loop().create_future()
            if self._is_serving:
                self._send_load()
        return await asyncio.shield(self._model)

    async def _is_stopped_before_model(self, id: int) -> bool:
        """Wait for the model; true when the user gives up first. Raises as `_until_model`."""
        stop = self._waiting[id] = asyncio.Event()
        waiting = asyncio.create_task(self._until_model()), asyncio.create_task(stop.wait())
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if not stop.is_set():
                await waiting[0]
            return stop.is_set()
        finally:
            del self._waiting[id]
            for task in waiting:
                task.cancel()

    def _send_load(self) -> None:
        self._load_id = self._requests.next_id()
        self._set_status(EngineLoading(self._wanted_path, "starting"))
        self._supervisor.write(LoadModel(self._load_id, self._wanted_path))

    def _settle_model(self, model: ModelInfo) -> None:
        if self._model is None or self._model.done():
            self._model = asyncio.get_running_loop().create_future()
        self._model.set_result(model)
        self._set_status(EngineReady(model))

    def _give_up_model(self, message: str, kind: type[Exception] = EngineStopped) -> None:
        model, self._model = self._model, None
        if model is not None and not model.done():
            model.set_exception(kind(message))
            # Nobody may be waiting; that is not an error.
            model.exception()

    def _set_status(self, status: EngineStatus) -> None:
        self.status = status
        self._listener(status)

    async def _ask(self, command: AnyCommand, expected: type[_E]) -> _E:
        self._requests.open(command.id)
        try:
            self._supervisor.write(command)
            while True:
                event = await self._requests.next_event(command.id)
                if isinstance(event, expected):
                    return event
        finally:
            self._requests.close(command.id)
