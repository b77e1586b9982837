"""An idle model gives its memory back and returns with the next question."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import TypeVar

from engine.protocol import LoadModel
from engine.serving.backend import Backend

_T = TypeVar("_T")


class Sleeper:
    """Knows which load to repeat."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._loaded: LoadModel | None = None
        self._is_asleep = False

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
        """The next command, however long it takes; calls `fall_asleep` when that is long."""
        if self._loaded is not None and not self._is_asleep:
            try:
                return inbox.get(timeout=self._backend.idle_seconds)
            except queue.Empty:
                self._backend.unload()
                self._is_asleep = True
                fall_asleep()
        return inbox.get()
