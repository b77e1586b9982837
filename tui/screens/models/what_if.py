"""What a plan can be asked for in place: context length and width of the KV cache."""

from __future__ import annotations

from tui.screens.models.stepper import Option

SMALLEST_CONTEXT = 1024
LARGEST_CONTEXT = 1 << 20

KV_OPTIONS: tuple[Option, ...] = (("as set", None), ("plain", 0), ("8-bit", 8), ("4-bit", 4))


def context_options(window: int) -> tuple[Option, ...]:
    """Doubling lengths up to the model's window; where that is unknown, up to a million."""
    ceiling = window if window > 0 else LARGEST_CONTEXT
    lengths: list[int] = []
    length = SMALLEST_CONTEXT
    while length < ceiling and length <= LARGEST_CONTEXT:
        lengths.append(length)
        length *= 2
    lengths.append(ceiling)
    return (("as set", None), *((f"{length:,}", length) for length in lengths))
