"""The model the user chose, and the requests that wait until it is loaded."""

from __future__ import annotations

import asyncio

from engine.errors import EngineError, RequestFailed
from engine.protocol import ModelInfo


class ModelReplaced(RequestFailed):
    """Another model was chosen before this one was loaded."""


class WantedModel:
    """Survives engine processes: what is wanted is loaded again into the next one."""

    def __init__(self) -> None:
        self.path = ""
        self.load_id = 0
        self._loaded: asyncio.Future[ModelInfo] | None = None

    def expect(self) -> None:
        """Which model is not known yet; those who ask wait instead of failing."""
        if self._loaded is None:
            self._want("")

    def choose(self, path: str) -> None:
        """Want this model and no other."""
        self._refuse(ModelReplaced("Another model was chosen."))
        self._want(path)

    def drop(self, error: EngineError) -> None:
        """Want no model; whoever waits learns why."""
        self._refuse(error)
        self.path, self.load_id, self._loaded = "", 0, None

    def settle(self, model: ModelInfo) -> None:
        """It is loaded."""
        if self._loaded is not None and not self._loaded.done():
            self._loaded.set_result(model)

    def lose(self) -> None:
        """The process that held it died; those who wait wait on."""
        self.load_id = 0
        if self._loaded is not None and self._loaded.done():
            self._want(self.path)

    def give_up(self, error: EngineError) -> None:
        """It does not come back by itself; a later request may try again."""
        self._refuse(error)
        if self.path:
            self._want(self.path)

    async def wait(self) -> ModelInfo:
        """The loaded model. Raises RequestFailed, ModelReplaced, EngineStopped."""
        if self._loaded is None:
            raise RequestFailed("No model is loaded: choose one first.")
        return await asyncio.shield(self._loaded)

    def _want(self, path: str) -> None:
        self.path, self.load_id = path, 0
        self._loaded = asyncio.get_running_loop().create_future()

    def _refuse(self, error: EngineError) -> None:
        if self._loaded is not None and not self._loaded.done():
            self._loaded.set_exception(error)
            # Nobody may be waiting; that is not an error.
            self._loaded.exception()
