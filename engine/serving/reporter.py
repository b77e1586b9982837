"""Tells the terminal what the engine costs, often while it works and seldom while it waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NoReturn

from engine.protocol import MemoryReport

BUSY_REPORT_SECONDS = 0.25
IDLE_REPORT_SECONDS = 2.0


class Reporter:
    """A loop for a thread of its own; `changes` counts how often MLX's memory moved."""

    def __init__(
        self,
        measure: Callable[[], MemoryReport],
        send: Callable[[MemoryReport], None],
        is_busy: Callable[[], bool],
    ) -> None:
        self._measure = measure
        self._send = send
        self._is_busy = is_busy
        self._wake = threading.Event()
        self.changes = 0

    def wake(self) -> None:
        """Report now: work has begun or ended."""
        self._wake.set()

    def run(self) -> NoReturn:
        """Report until the process ends."""
        last_bytes = -1
        while True:
            report = self._measure()
            self.changes += report.active_bytes != last_bytes
            last_bytes = report.active_bytes
            self._send(report)
            self._wake.wait(BUSY_REPORT_SECONDS if self._is_busy() else IDLE_REPORT_SECONDS)
            self._wake.clear()
