"""Time and identity of the process, read in one place."""

from __future__ import annotations

import os
import time


class Stopwatch:
    """Seconds since it was made, on the monotonic clock."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    @property
    def seconds(self) -> float:
        """Elapsed seconds."""
        return time.monotonic() - self._start


def process_id() -> int:
    """This process's id."""
    return os.getpid()
