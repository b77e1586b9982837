"""The model the user chose, and the requests that wait until it is loaded."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import assert_never

from engine.errors import EngineError, RequestFailed
from engine.pending import request_error
from engine.protocol import (
    NO_REQUEST,
    Failed,
    ModelInfo,
    ModelLoaded,
    ModelLoading,
    ModelUnloaded,
)
from engine.status import EngineIdle, EngineLoading, EngineReady, EngineStatus

Place = tuple[str, str, str]
"""The folders of a model, an adapter and a draft model."""

ModelNews = ModelLoading | ModelLoaded | ModelUnloaded | Failed


class ModelReplaced(RequestFailed):
    """Another model was chosen before this one was loaded."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What to load: the folders of a model, of an adapter and of a draft model, or none of these.

    `is_forced`: a plan that does not fit does not matter. `is_draft_optional`: nor does a draft
    model that cannot draft for this one.
    """

    path: str
    adapter: str = ""
    draft: str = ""
    is_forced: bool = False
    is_draft_optional: bool = False

    @property
    def place(self) -> Place:
        """The folders."""
        return self.path, self.adapter, self.draft

    def with_draft_of(self, other: ModelChoice | None) -> ModelChoice:
        """The same, with another's draft model; what was not chosen for this one is optional."""
        if other is None or not other.draft:
            return self
        is_optional = other.is_draft_optional or other.path != self.path
        return replace(self, draft=other.draft, is_draft_optional=is_optional)


class WantedModel:
    """Survives engine processes: what is wanted is loaded again into the next one."""

    def __init__(self) -> None:
        self.choice: ModelChoice | None = None
        self.load_id = 0
        self._loaded: asyncio.Future[ModelInfo] | None = None

    @property
    def is_coming(self) -> bool:
        """Whether requests wait for a model."""
        return self._loaded is not None and not self._loaded.done()

    @property
    def model(self) -> ModelInfo | None:
        """The model, once it is loaded."""
        if self._loaded is None or not self._loaded.done() or self._loaded.exception():
            return None
        return self._loaded.result()

    def expect(self) -> None:
        """Which model is not known yet; those who ask wait instead of failing."""
        if self._loaded is None:
            self._want(None)

    def choose(self, choice: ModelChoice) -> None:
        """Want this model and no other."""
        self._refuse(ModelReplaced("Another model was chosen."))
        self._want(choice)

    def drop(self, error: EngineError) -> None:
        """Want no model; whoever waits learns why."""
        self._refuse(error)
        self.choice, self.load_id, self._loaded = None, 0, None

    def settle(self, model: ModelInfo) -> None:
        """It is loaded."""
        if self._loaded is not None and not self._loaded.done():
            self._loaded.set_result(model)

    def adopt(self, model: ModelInfo) -> None:
        """A model was loaded that was not asked for here: it woke up, or somebody else chose it."""
        if self.choice is None or self.choice.place != place_of(model):
            is_forced = model.plan is not None and not model.plan.fits
            self.choice = replace(choice_of(model), is_forced=is_forced)
        if not self.is_coming:
            self._loaded = asyncio.get_running_loop().create_future()
        self.settle(model)

    def is_meant_by(self, event: ModelNews) -> bool:
        """Whether it tells of the load under way, or of one that nobody here asked for.

        The load under way outdoes what nobody asked for.
        """
        if event.id != NO_REQUEST:
            return event.id == self.load_id
        return not (self.load_id and self.is_coming)

    def follow(self, event: ModelNews) -> EngineStatus:
        """Take news that this model is meant by; returns the status that follows."""
        match event:
            case ModelLoading(stage=stage):
                self.expect()
                return EngineLoading(self.choice.path if self.choice else "", stage)
            case ModelLoaded(id=id, model=model):
                if id == NO_REQUEST:
                    self.adopt(model)
                else:
                    self.settle(model)
                return EngineReady(model)
            case ModelUnloaded():
                self.drop(RequestFailed("The model was unloaded."))
            case Failed():
                self.drop(request_error(event))
            case _:
                assert_never(event)
        return EngineIdle()

    def lose(self) -> None:
        """The process that held it died; those who wait wait on."""
        self.load_id = 0
        if self._loaded is not None and self._loaded.done():
            self._want(self.choice)

    def give_up(self, error: EngineError) -> None:
        """It does not come back by itself; a later request may try again."""
        self._refuse(error)
        if self.choice is not None:
            self._want(self.choice)

    async def wait(self) -> ModelInfo:
        """The loaded model. Raises RequestFailed, ModelReplaced, EngineStopped."""
        if self._loaded is None:
            raise RequestFailed("No model is loaded: choose one first.")
        return await asyncio.shield(self._loaded)

    async def wait_for_last(self) -> ModelInfo:
        """As `wait`, for whichever model is chosen meanwhile, and not for one already lost."""
        while True:
            with contextlib.suppress(ModelReplaced):
                await self.wait()
            if self.model is not None:
                return self.model

    def _want(self, choice: ModelChoice | None) -> None:
        self.choice, self.load_id = choice, 0
        self._loaded = asyncio.get_running_loop().create_future()

    def _refuse(self, error: EngineError) -> None:
        if self._loaded is not None and not self._loaded.done():
            self._loaded.set_exception(error)
            # Nobody may be waiting; that is not an error.
            self._loaded.exception()


def place_of(model: ModelInfo) -> Place:
    """The folders a loaded model came from."""
    return model.path, model.adapter, model.draft


def choice_of(model: ModelInfo) -> ModelChoice:
    """What would load it again, unless that has to be forced."""
    return ModelChoice(*place_of(model), is_draft_optional=bool(model.draft_refusal))
