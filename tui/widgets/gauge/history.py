"""The last minutes of work, for the curves. Time in which nothing happens is not drawn."""

from __future__ import annotations

import math
from collections import deque

from engine.protocol import MemoryReport

SECONDS_KEPT = 180
_LONGEST_STEP = 2.0


class History:
    """One sample a second of work; an idle engine adds none, so that its curve stands still."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._last: float | None = None
        self._was_working = False
        self._samples: deque[tuple[float, float]] = deque(maxlen=SECONDS_KEPT)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was done yet."""
        return not self._samples

    def add(self, report: MemoryReport, now: float) -> None:
        """Take a report in; `now` is in seconds of any clock that only goes forward."""
        is_working = report.rows_running > 0
        sample = (float(max(report.active_bytes, 0)), _finite(report.decode_tps))
        before = math.floor(self._seconds)
        if self._last is not None and (is_working or self._was_working):
            self._seconds += min(max(now - self._last, 0.0), _LONGEST_STEP)
        steps = math.floor(self._seconds) - before
        if not self._samples and is_working:
            self._samples.append(sample)
        elif self._samples and (is_working or self._was_working):
            self._samples.extend([sample] * steps)
            self._samples[-1] = sample if is_working else self._samples[-1]
        self._last, self._was_working = now, is_working

    def memory(self, cells: int) -> tuple[float, ...]:
        """Active bytes, at most one value a cell."""
        return self._curve(0, cells)

    def writing(self, cells: int) -> tuple[float, ...]:
        """Tokens a second, at most one value a cell."""
        return self._curve(1, cells)

    def _curve(self, which: int, cells: int) -> tuple[float, ...]:
        if cells <= 0 or not self._samples:
            return ()
        # Whole seconds a cell, counted from the first second, so that drawn cells stay as they are.
        per_cell = math.ceil(SECONDS_KEPT / cells)
        first = math.floor(self._seconds) + 1 - len(self._samples)
        values: dict[int, list[float]] = {}
        for index, sample in enumerate(self._samples):
            values.setdefault((first + index) // per_cell, []).append(sample[which])
        return tuple(max(group) for group in values.values())[-cells:]


def _finite(value: float) -> float:
    return value if math.isfinite(value) and value > 0 else 0.0
