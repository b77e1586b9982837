"""Loading another model, and going back to what worked when that fails."""

from __future__ import annotations

from engine.client import EngineClient
from engine.errors import EngineError, OverBudget
from engine.protocol import ModelInfo
from engine.status import EngineAsleep, EngineIdle, EngineReady
from engine.wanted_model import ModelChoice, ModelReplaced, choice_of, place_of


class Switch:
    """Knows which model was loaded last with success."""

    def __init__(self, engine: EngineClient) -> None:
        self._engine = engine
        self._current: ModelChoice | None = None
        self._was_unloaded = False

    @property
    def is_unloaded(self) -> bool:
        """The user freed the model and no window brought one back; `back` does."""
        return self._was_unloaded and isinstance(self._engine.status, EngineIdle)

    @property
    def current(self) -> ModelChoice | None:
        """The model that answers, also one another window chose, or that answered last."""
        status = self._engine.status
        if isinstance(status, EngineReady | EngineAsleep):
            place = place_of(status.model)
            if self._current is None or place != self._current.place:
                self._current = choice_of(status.model)
        return self._current

    async def to(self, choice: ModelChoice) -> ModelInfo:
        """Load this model.

        Raises OverBudget, after which requests wait for `to` or `back`; ModelReplaced when another
        was chosen meanwhile; EngineError when it failed and what was loaded before is back, or
        there was none and `current` is None.
        """
        before = self.current
        try:
            model = await self._load(choice)
        except ModelReplaced:
            raise
        except OverBudget:
            self._engine.expect_model()
            raise
        except EngineError:
            self._current = before
            await self.back()
            raise
        self._current, self._was_unloaded = choice, False
        return model

    async def back(self) -> ModelInfo | None:
        """Load again what worked before; None when there was nothing, or it fails now too."""
        before = self._current
        if before is None:
            return None
        try:
            model = await self._load(before)
        except EngineError as error:
            self._current = before if isinstance(error, ModelReplaced) else None
            return None
        self._was_unloaded = False
        return model

    async def unload(self) -> None:
        """Free the model. Raises EngineStopped."""
        self._current = self.current
        self._was_unloaded = True
        await self._engine.unload()

    async def _load(self, choice: ModelChoice) -> ModelInfo:
        return await self._engine.load(
            *choice.place,
            is_forced=choice.is_forced,
            is_draft_optional=choice.is_draft_optional,
        )
