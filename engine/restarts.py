"""When to start a dead engine again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 30.0
RESTARTS_ALLOWED = 3
RESTART_WINDOW_SECONDS = 60.0


class RestartPolicy:
    """Back-off that doubles, and gives up after RESTARTS_ALLOWED restarts in the window."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._restarts: deque[float] = deque()

    def next_delay(self) -> float | None:
        """Record a death; the seconds to wait before the next start, or None to give up."""
        now = self._clock()
        while self._restarts and now - self._restarts[0] > RESTART_WINDOW_SECONDS:
            self._restarts.popleft()
        if len(self._restarts) >= RESTARTS_ALLOWED:
            return None
        delay = min(FIRST_DELAY_SECONDS * 2 ** len(self._restarts), LONGEST_DELAY_SECONDS)
        self._restarts.append(now)
        return float(delay)

    def forget(self) -> None:
        """A new request of the user's starts with a clean slate."""
        self._restarts.clear()
