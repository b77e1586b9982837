"""Stacked bars and curves out of block characters."""

from __future__ import annotations

import math
from collections.abc import Sequence

_LEVELS = "▁▂▃▄▅▆▇█"


def stacked_widths(parts: Sequence[float], total: float, width: int) -> tuple[int, ...]:
    """Cells for each part of a stacked bar over `total`; what is there at all gets a cell."""
    clean = [part if math.isfinite(part) and part > 0 else 0.0 for part in parts]
    scale = max(total, sum(clean)) if math.isfinite(total) else sum(clean)
    if scale <= 0 or width <= 0:
        return tuple(0 for _ in parts)
    cells = [max(1, round(part / scale * width)) if part else 0 for part in clean]
    while sum(cells) > width:
        cells[cells.index(max(cells))] -= 1
    return tuple(cells)


def sparkline(values: Sequence[float], width: int) -> str:
    """The last `width` values as a curve from zero to their highest."""
    recent = [value if math.isfinite(value) and value > 0 else 0.0 for value in values[-width:]]
    highest = max(recent, default=0.0)
    if highest <= 0:
        return ("▁" * len(recent)).rjust(width)
    steps = [_LEVELS[round(value / highest * (len(_LEVELS) - 1))] for value in recent]
    return "".join(steps).rjust(width)
