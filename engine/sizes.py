"""Bytes as words, for sentences."""

from __future__ import annotations

_MIB = 1024**2
_GIB = 1024**3


def in_words(count: int) -> str:
    """`1.25 GiB` or `98 MiB`."""
    if count >= _GIB:
        return f"{count / _GIB:,.2f} GiB"
    return f"{count / _MIB:,.0f} MiB"
