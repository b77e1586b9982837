"""Tells a hanging engine from a busy one."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.protocol import Pong

PING_SECONDS = 1.0
SILENCE_LIMIT_SECONDS = 10.0
START_LIMIT_SECONDS = 60.0
STALL_LIMIT_SECONDS = 300.0


class Watchdog:
    """Judges pongs. Silence means the process does not run; a stall, that its work does not.

    A process that is still importing may be silent for longer: loading a large library holds
    the interpreter.
    """

    def __init__(
        self,
        silence_limit: float = SILENCE_LIMIT_SECONDS,
        stall_limit: float = STALL_LIMIT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        start_limit: float = START_LIMIT_SECONDS,
    ) -> None:
        self._silence_limit = silence_limit
        self._stall_limit = stall_limit
        self._start_limit = start_limit
        self._clock = clock
        self.ping_seconds = min(PING_SECONDS, silence_limit / 5)
        self._is_starting, self._progress = True, -1
        self._checked = self._heard = self._advanced = clock()

    def restart(self) -> None:
        """Forget everything: a new process."""
        self._is_starting = True
        self._forgive()

    def hear_ready(self) -> None:
        """The process has imported what it needs."""
        self._is_starting = False
        self._heard = self._advanced = self._clock()

    def hear(self, pong: Pong) -> None:
        """Take a sign of life."""
        self._heard = self._clock()
        if not pong.busy or pong.progress != self._progress:
            self._progress = pong.progress
            self._advanced = self._heard

    def verdict(self) -> str | None:
        """Why the engine must be replaced, or None. Call about every `ping_seconds`."""
        now = self._clock()
        if now - self._checked > self._silence_limit / 2:
            # We slept, not the engine: a suspended terminal or a closed laptop lid.
            self._forgive()
            return None
        self._checked = now
        limit = self._start_limit if self._is_starting else self._silence_limit
        if now - self._heard > limit:
            return f"it stopped answering for {limit:g} s"
        if now - self._advanced > self._stall_limit:
            return f"its work did not advance for {self._stall_limit:g} s"
        return None

    def _forgive(self) -> None:
        self._checked = self._heard = self._advanced = self._clock()
        self._progress = -1
