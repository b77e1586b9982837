"""The terminal's side of the engine: requests in, events out.

Knows nothing about MLX nor about processes (see `supervisor`). A request that was running when
the engine died fails with `EngineStopped` and is never sent again by itself; the model comes back.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from engine.answers import AnswerEvent, Answers
from engine.errors import EngineStopped, RequestFailed
from engine.plan.contract import MemoryPlan, PlanOptions
from engine.process import EngineLaunch
from engine.protocol import (
    NO_REQUEST,
    CacheForgotten,
    CacheSaved,
    CountTokens,
    ForgetCache,
    Generate,
    MemoryReport,
    Message,
    ModelInfo,
    Plan,
    Planned,
    Sampling,
    SaveCache,
    TokensCounted,
)
from engine.session import EngineSession, Listener, OpenLink
from engine.status import EngineDown, EngineStatus
from engine.supervisor import Supervisor
from engine.wanted_model import ModelChoice
from engine.watchdog import Watchdog

_DEFAULT_SAMPLING = Sampling()
_DEFAULT_OPTIONS = PlanOptions()


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
        self._answers = Answers(self.session)

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

    async def load(
        self,
        path: str,
        adapter: str = "",
        draft: str = "",
        *,
        is_forced: bool = False,
        is_draft_optional: bool = False,
    ) -> ModelInfo:
        """Load a model, with an adapter and a draft model; all come back after a restart.

        `is_forced` loads a model whose plan does not fit; an optional draft model that cannot draft
        for it is left out. Raises OverBudget, RequestFailed,
        EngineStopped.
        """
        self._link.revive()
        self.session.choose(ModelChoice(path, adapter, draft, is_forced, is_draft_optional))
        return await self._wanted.wait()

    async def model(self) -> ModelInfo:
        """The model that answers; waits while one is coming.

        Raises RequestFailed when none is, EngineStopped.
        """
        return await self._wanted.wait_for_last()

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
        await self._wanted.wait_for_last()
        command = CountTokens(self._requests.next_id(), tuple(texts))
        return (await self.session.ask(command, TokensCounted)).counts

    async def save(self, seconds: float = 10.0) -> CacheSaved:
        """Have kept caches written to the disk, once no answer runs, for at most so long.

        Raises RequestFailed, EngineStopped.
        """
        await self.session.until_serving()
        command = SaveCache(self._requests.next_id(), seconds)
        return await self.session.ask(command, CacheSaved)

    async def forget(self, conversation: str) -> int:
        """Drop a conversation's KV caches, after its answer if one runs; returns the entries gone.

        They are gone from the disk too.

        Raises EngineStopped.
        """
        if not self.session.is_serving:
            return 0
        command = ForgetCache(self._requests.next_id(), conversation)
        return (await self.session.ask(command, CacheForgotten)).entries

    def generate(
        self,
        messages: Sequence[Message],
        conversation: str = "",
        sampling: Sampling = _DEFAULT_SAMPLING,
        max_tokens: int | None = None,
        stop: Sequence[str] = (),
        thinking: bool | None = None,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer a conversation in the chat lane, as `run` does."""
        return self.run(
            Generate(
                NO_REQUEST,
                tuple(messages),
                conversation,
                sampling,
                max_tokens,
                tuple(stop),
                thinking,
            )
        )

    def run(self, request: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """Answer a request, which gets an id of its own; waits for a model that is still loading.

        Closing the generator stops the answer in the engine. Raises RequestFailed, EngineStopped,
        ProtocolError when the text is too long to send.
        """
        return self._answers.stream(request)

    def stop_answers(self, conversation: str | None = None) -> None:
        """Cancel a conversation's answer, or every one; each still ends with its `Finished`."""
        self._answers.stop(conversation)


def _opener(launch: EngineLaunch | OpenLink, watchdog: Watchdog) -> OpenLink:
    if isinstance(launch, EngineLaunch):
        return lambda owner: Supervisor(launch, owner, watchdog)
    return launch
