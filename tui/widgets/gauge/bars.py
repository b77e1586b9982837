"""Stacked bars and curves out of block characters."""

from __future__ import annotations

import math
from collections.abc import Sequence

LEVELS = "▁▂▃▄▅▆▇█"


def share_cells(parts: Sequence[float], width: int) -> tuple[int, ...]:
    """Divide `width` cells among the parts, none left over while there is any part.

    A positive part gets a cell at least, as long as there is a cell for each; the last parts go
    without where there is not.
    """
    clean = [_size(part) for part in parts]
    present = [index for index, part in enumerate(clean) if part > 0][: max(width, 0)]
    cells = [0] * len(clean)
    if not present:
        return tuple(cells)
    largest = max(clean[index] for index in present)
    # Scaled first: the sum of huge parts would not be finite.
    scaled = {index: clean[index] / largest for index in present}
    scale = width / sum(scaled.values())
    exact = {index: part * scale for index, part in scaled.items()}
    for index in present:
        cells[index] = max(1, math.floor(exact[index]))
    while sum(cells) > width:
        wide = [index for index in present if cells[index] > 1]
        cells[max(wide, key=lambda index: cells[index] - exact[index])] -= 1
    while sum(cells) < width:
        cells[max(present, key=lambda index: exact[index] - cells[index])] += 1
    return tuple(cells)


def sparkline(values: Sequence[float], width: int) -> str:
    """The last `width` values as a curve from zero to their highest."""
    recent = [_size(value) for value in values[-width:]] if width > 0 else []
    highest = max(recent, default=0.0)
    if highest <= 0:
        return (LEVELS[0] * len(recent)).rjust(max(width, 0))
    steps = [LEVELS[round(value / highest * (len(LEVELS) - 1))] for value in recent]
    return "".join(steps).rjust(width)


def area(values: Sequence[float], width: int, rows: int) -> tuple[str, ...]:
    """As `sparkline`, `rows` lines high, from the top; what is there at all can be seen."""
    recent = [_size(value) for value in values[-width:]] if width > 0 else []
    highest = max(recent, default=0.0) or 1.0
    steps = len(LEVELS)
    heights = [max(round(value / highest * rows * steps), 1 if value else 0) for value in recent]
    lines = []
    for row in range(rows - 1, -1, -1):
        filled = (min(max(height - row * steps, 0), steps) for height in heights)
        lines.append("".join(f" {LEVELS}"[level] for level in filled).rjust(max(width, 0)))
    return tuple(lines)


def _size(value: float) -> float:
    return float(value) if math.isfinite(value) and value > 0 else 0.0
