"""The terminal's side of the engine: requests in, events out.

Knows nothing about MLX nor about processes (see `supervisor`). A request that was running when
the engine died fails with `EngineStopped` and is never sent again by itself; the model comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from engine.errors import EngineStopped, RequestFailed
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.process import EngineLaunch
from engine.protocol import (
    CacheForgotten,
    Cancel,
    CountTokens,
    Finished,
    ForgetCache,
    Generate,
    MemoryReport,
    Message,
    ModelInfo,
    Plan,
    Planned,
    PromptProgress,
    Sampling,
    TextDelta,
    TokensCounted,
    Usage,
    is_last,
)
from engine.session import EngineSession, Listener, OpenLink
from engine.status import EngineDown, EngineStatus
from engine.supervisor import Supervisor
from engine.wanted_model import ModelChoice, ModelReplaced
from engine.watchdog import Watchdog

AnswerEvent = PromptProgress | TextDelta | Finished
_DEFAULT_SAMPLING = Sampling()
_DEFAULT_OPTIONS = PlanOptions()
_NOTHING_USED = Usage(0, 0, 0, 0, 0.0, 0.0, 0.0)


def _ignore(_: EngineStatus | MemoryReport) -> None:
    """The listener of a client nobody watches."""


class EngineClient:
    """Use as `async with EngineClient(launch, listener) as engine:`.

    The listener is called from the event loop, in order; an exception in it goes to the loop's
    exception handler. An `OpenLink` instead of a launch reaches an engine in another way.
    """

    def __init__(
        self,
        launch: EngineLaunch | OpenLink,
        listener: Listener = _ignore,
        watchdog: Watchdog | None = None,
    ) -> None:
        self.session = EngineSession(_opener(launch, watchdog or Watchdog()), listener)
        self._requests, self._wanted = self.session.requests, self.session.wanted
        self._link = self.session.link
        self._stops: dict[int, asyncio.Event] = {}

    async def __aenter__(self) -> EngineClient:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Start the engine process in the background; needs a running event loop."""
        self._link.ensure_running()

    async def close(self) -> None:
        """End the engine; it is gone when this returns."""
        await self.session.close("The engine was closed.")

    @property
    def status(self) -> EngineStatus:
        """What the engine is doing now."""
        return self.session.status

    @property
    def pid(self) -> int | None:
        """The engine process's id, while there is one."""
        return self._link.pid

    @property
    def log(self) -> str:
        """What the engine process printed lately."""
        return self._link.log

    @property
    def is_model_wanted(self) -> bool:
        """Whether a model is loaded, on its way, or comes back with the engine."""
        return self._wanted.choice is not None or self._wanted.is_coming

    @property
    def is_model_coming(self) -> bool:
        """Whether requests wait for a model that is being found or loaded."""
        return self._wanted.is_coming

    def expect_model(self) -> None:
        """A model is being found: requests wait for `load` or `abandon_model`."""
        self.session.expect_model()

    def abandon_model(self, reason: str) -> None:
        """No model was found: requests that wait fail with this sentence."""
        self.session.abandon_model(RequestFailed(reason))

    async def load(self, path: str, adapter: str = "", is_forced: bool = False) -> ModelInfo:
        """Load a model folder, with a LoRA folder on it; both come back after a restart.

        `is_forced` loads a model whose plan does not fit. Raises OverBudget, RequestFailed,
        EngineStopped.
        """
        self._link.revive()
        self.session.choose(ModelChoice(path, adapter, is_forced))
        return await self._wanted.wait()

    async def model(self) -> ModelInfo:
        """The model that answers; waits while one is coming.

        Raises RequestFailed when none is, EngineStopped.
        """
        return await self._until_model()

    async def unload(self) -> None:
        """Free the model and its caches. Raises EngineStopped."""
        await self.session.unload()

    async def plan(self, path: str, options: PlanOptions = _DEFAULT_OPTIONS) -> MemoryPlan:
        """What a model folder would cost; needs no loaded model and starts no engine that gave up.

        An empty path means the loaded model. Raises RequestFailed, EngineStopped.
        """
        await self.session.until_serving()
        command = Plan(self._requests.next_id(), path, options)
        return (await self.session.ask(command, Planned)).plan

    async def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Token counts from the loaded model's tokenizer; starts no engine that gave up.

        Raises RequestFailed, EngineStopped.
        """
        if isinstance(self.status, EngineDown):
            raise EngineStopped(self.status.reason)
        await self._until_model()
        command = CountTokens(self._requests.next_id(), tuple(texts))
        return (await self.session.ask(command, TokensCounted)).counts

    async def forget(self, conversation: str) -> int:
        """Drop a conversation's KV cache, after its answer if one runs; returns the entries gone.

        Raises EngineStopped.
        """
        if not self.session.is_serving:
            return 0
        command = ForgetCache(self._requests.next_id(), conversation)
        return (await self.session.ask(command, CacheForgotten)).entries

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
        self._stops[id] = asyncio.Event()
        is_running = False
        try:
            if await self._is_stopped_before_model(id):
                yield Finished(id, "cancelled", _NOTHING_USED)
                return
            self._link.write(
                Generate(
                    id, tuple(messages), conversation, sampling, max_tokens, tuple(stop), thinking
                )
            )
            is_running = True
            while is_running:
                event = await self._requests.next_event(id)
                is_running = not is_last(event)
                if isinstance(event, AnswerEvent):
                    yield event
        except (EngineStopped, RequestFailed):
            is_running = False
            raise
        finally:
            del self._stops[id]
            self._requests.close(id)
            if is_running:
                self._link.write(Cancel(id))

    def stop_answers(self) -> None:
        """Cancel every answer; each still ends with its `Finished`."""
        for id, stop in self._stops.items():
            stop.set()
            self._link.write(Cancel(id))

    async def _until_model(self) -> ModelInfo:
        while True:
            try:
                return await self._wanted.wait()
            except ModelReplaced:
                continue

    async def _is_stopped_before_model(self, id: int) -> bool:
        """Wait for the model; true when the user gives up first. Raises as `_until_model`."""
        if self._wanted.choice is not None:
            self.session.revive()
        stop = self._stops[id]
        model = asyncio.create_task(self._until_model())
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([model, stopped], return_when=asyncio.FIRST_COMPLETED)
            if model.done():
                model.result()
            return stop.is_set()
        finally:
            model.cancel()
            stopped.cancel()


def _opener(launch: EngineLaunch | OpenLink, watchdog: Watchdog) -> OpenLink:
    if isinstance(launch, EngineLaunch):
        return lambda owner: Supervisor(launch, owner, watchdog)
    return launch
