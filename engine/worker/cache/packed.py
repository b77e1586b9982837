"""A cache as what a file can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mlx.core as mx


@dataclass(frozen=True, slots=True)
class Packed:
    """One cache as named arrays and whole numbers, or as the caches it is made of."""

    kind: str
    arrays: Mapping[str, mx.array] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    children: tuple[Packed, ...] = ()
