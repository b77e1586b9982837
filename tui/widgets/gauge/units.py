"""Numbers for the eye: bytes in GiB or MiB, tokens, speeds. Never a made-up number."""

from __future__ import annotations

import math

_MIB = 1024**2
_GIB = 1024**3


def format_bytes(count: float) -> str:
    """`1.25 GiB`, `98 MiB`; `?` for what is no size."""
    if not math.isfinite(count) or count < 0:
        return "?"
    if count >= _GIB:
        return f"{count / _GIB:.2f} GiB"
    return f"{count / _MIB:.0f} MiB"


def format_speed(tokens_per_second: float) -> str:
    """`31 tok/s`; a dash when nothing runs."""
    if not math.isfinite(tokens_per_second) or tokens_per_second <= 0:
        return "–"
    digits = 1 if tokens_per_second < 10 else 0
    return f"{tokens_per_second:,.{digits}f} tok/s"
