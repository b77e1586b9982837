"""Pixels as text: two in each cell, the upper one as the colour of a half block."""

from __future__ import annotations

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from tui.pictures.decode import Pixels

_HALF = "▀"


def block_row(pixels: Pixels, row: int) -> list[Segment]:
    """One line of cells, of the pixel rows `2 * row` and the one below."""
    stride = pixels.width * 3
    upper = pixels.data[2 * row * stride : (2 * row + 1) * stride]
    lower = pixels.data[(2 * row + 1) * stride : (2 * row + 2) * stride]
    segments: list[Segment] = []
    run, last = 0, b""
    for at in range(0, stride, 3):
        pair = upper[at : at + 3] + lower[at : at + 3]
        if pair != last and run:
            segments.append(_cells(last, run))
            run = 0
        last = pair
        run += 1
    if run:
        segments.append(_cells(last, run))
    return segments


def _cells(pair: bytes, count: int) -> Segment:
    front, back = Color.from_rgb(*pair[:3]), Color.from_rgb(*pair[3:])
    return Segment(_HALF * count, Style(color=front, bgcolor=back))
