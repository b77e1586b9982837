"""Tells a hanging engine from a busy one."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.protocol import Pong

PING_SECONDS = 1.0
SILENCE_LIMIT_SECONDS = 10.0
STALL_LIMIT_SECONDS = 300.0


class Watchdog:
    """Judges pongs. Silence means the process does not run; a stall, that its work does not."""

    def __init__(
        self,
        silence_limit: float = SILENCE_LIMIT_SECONDS,
        stall_limit: float = STALL_LIMIT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._silence_limit = silence_limit
        self._stall_limit = stall_limit
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        """Forget everything: a new process, or this one was itself suspended."""
        now = self._clock()
        self._checked = self._heard = self._advanced = now
        self._progress = -1

    def hear(self, pong: Pong) -> None:
        """Take a sign of life."""
        self._heard = self._clock()
        if not pong.busy or pong.progress != self._progress:
            self._progress = pong.progress
            self._advanced = self._heard

    def verdict(self) -> str | None:
        """Why the engine must be replaced, or None. Call about every PING_SECONDS."""
        now = self._clock()
        if now - self._checked > self._silence_limit / 2:
            # We slept, not the engine: a suspended terminal or a closed laptop lid.
            self.restart()
            return None
        self._checked = now
        if now - self._heard > self._silence_limit:
            return f"it stopped answering for {self._silence_limit:g} s"
        if now - self._advanced > self._stall_limit:
            return f"its work did not advance for {self._stall_limit:g} s"
        return None
