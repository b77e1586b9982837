"""When a coarse KV cache is worth a warning, and what it costs a small model."""

from __future__ import annotations

SMALL_PARAMETERS = 3_000_000_000
"""Below it a model has no predictions to spare."""
FINE_BITS = 8
"""As good as plain: no warning from here on."""


def kv_warning(bits: int, parameters: int) -> str:
    """A sentence for a small model with coarse keys and values; empty where none is due.

    `bits` is 0 for plain; `parameters` 0 when unknown, which counts as small.
    """
    if not bits or bits >= FINE_BITS or parameters >= SMALL_PARAMETERS:
        return ""
    return f"{bits}-bit keys and values are too coarse for so small a model: choose 8 bits."
