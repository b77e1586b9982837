"""Speed over the last moments."""

from __future__ import annotations

import time
from collections import deque

WINDOW_SECONDS = 2.0


class RateMeter:
    """Tokens a second over a sliding window; one writer thread, any number of readers."""

    def __init__(self, window: float = WINDOW_SECONDS) -> None:
        self._window = window
        self._marks: deque[tuple[float, float, int]] = deque(maxlen=4096)

    def add(self, started: float, tokens: int) -> None:
        """Record that `tokens` were done between `started` (monotonic seconds) and now."""
        self._marks.append((started, time.monotonic(), tokens))

    def per_second(self) -> float:
        """Tokens a second of working time in the window; 0 when nothing happened in it."""
        horizon = time.monotonic() - self._window
        recent = [mark for mark in tuple(self._marks) if mark[1] >= horizon]
        working = sum(end - start for start, end, _ in recent)
        return sum(tokens for *_, tokens in recent) / working if working > 0 else 0.0


class Meters:
    """The speeds the gauge shows; live as long as the worker."""

    def __init__(self) -> None:
        self.prefill = RateMeter()
        self.decode = RateMeter()
