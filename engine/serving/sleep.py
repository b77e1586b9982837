"""An idle model gives its memory back and returns with the next question."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from engine.models.hub_name import name_of
from engine.protocol import LoadModel
from engine.serving.backend import Backend
from engine.serving.containment import Caught, attempt

_T = TypeVar("_T")


class Sleeper:
    """Knows which load to repeat."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._loaded: LoadModel | None = None
        self._is_asleep = False

    @property
    def sleeping(self) -> str:
        """The name of the model that sleeps; empty when none does. Any thread."""
        command = self._loaded
        return name_of(Path(command.path)) if command is not None and self._is_asleep else ""

    def note_loaded(self, command: LoadModel) -> None:
        """This load succeeded."""
        self._loaded, self._is_asleep = command, False

    def note_unloaded(self) -> None:
        """There is no model, on purpose."""
        self._loaded, self._is_asleep = None, False

    def wake(self, load: Callable[[LoadModel], None]) -> None:
        """Load the sleeping model, if there is one. Raises as `load` does; then it still sleeps."""
        command = self._loaded
        if command is None or not self._is_asleep:
            return
        try:
            load(command)
        except Exception:
            self._loaded, self._is_asleep = command, True
            raise

    def wait(self, inbox: queue.SimpleQueue[_T], fall_asleep: Callable[[], None]) -> _T:
        """The next command, however long it takes; what can wait is done meanwhile.

        Calls `fall_asleep` when it takes long.
        """
        began = time.monotonic()
        while True:
            idle = time.monotonic() - began
            pause = attempt(partial(self._backend.upkeep, idle))
            pauses = [None if isinstance(pause, Caught) else pause, self._until_sleep(idle)]
            try:
                return inbox.get(timeout=min((p for p in pauses if p is not None), default=None))
            except queue.Empty:
                if (left := self._until_sleep(time.monotonic() - began)) is not None and left <= 0:
                    self._backend.unload()
                    self._is_asleep = True
                    fall_asleep()

    def _until_sleep(self, idle_seconds: float) -> float | None:
        limit = self._backend.idle_seconds
        if limit is None or self._loaded is None or self._is_asleep:
            return None
        return max(limit - idle_seconds, 0.0)
