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
    """Back-off that doubles with every death, and an end when deaths come too fast."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._restarts: deque[float] = deque()
        self._delay = FIRST_DELAY_SECONDS

    def next_delay(self) -> float | None:
        """Record a death; the seconds to wait before the next start, or None to give up.

        Gives up after RESTARTS_ALLOWED restarts within RESTART_WINDOW_SECONDS.
        """
        now = self._clock()
        while self._restarts and now - self._restarts[0] > RESTART_WINDOW_SECONDS:
            self._restarts.popleft()
        if len(self._restarts) >= RESTARTS_ALLOWED:
            return None
        self._restarts.append(now)
        delay, self._delay = self._delay, min(2 * self._delay, LONGEST_DELAY_SECONDS)
        return delay

    def forget(self) -> None:
        """A new request of the user's starts with a clean slate."""
        self._restarts.clear()
        self._delay = FIRST_DELAY_SECONDS
