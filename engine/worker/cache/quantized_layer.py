"""What every cache over quantized keys and values has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, Self

import mlx.core as mx

from engine.worker.cache.array_rows import QuantizedPair, Triple
from engine.worker.cache.errors import CacheError

GROWTH_STEP = 256
DEFAULT_GROUP_SIZE = 64
DEFAULT_BITS = 8


class Quantization(Protocol):
    """How a cache quantizes."""

    bits: int
    group_size: int


class QuantizedLayer(ABC):
    """mlx-lm's cache interface over one `QuantizedPair`.

    mlx-lm's attention takes its quantized path for a cache with `bits` and `group_size`, and the
    fetched keys and values are triples of packed values, scales and biases.
    """

    def __init__(self, group_size: int, bits: int) -> None:
        self.group_size = group_size
        self.bits = bits
        self.rows: QuantizedPair | None = None

    @property
    def keys(self) -> Triple | None:
        """The whole buffer, slack included."""
        return None if self.rows is None else self.rows.keys

    @property
    def values(self) -> Triple | None:
        """The whole buffer, slack included."""
        return None if self.rows is None else self.rows.values

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer; 0 while nothing was written."""
        return 0 if self.rows is None else self.rows.nbytes

    def empty(self) -> bool:
        """Nothing was ever written."""
        return self.rows is None

    def quantize(self, keys: mx.array, values: mx.array) -> QuantizedPair:
        """New tokens as this cache stores them."""
        return QuantizedPair.quantize(keys, values, self.group_size, self.bits)

    @classmethod
    def from_state(cls, state: Any) -> Self:
        """Rebuild a cache from what `state` returned."""
        cache = cls.__new__(cls)
        cache.state = state
        return cache

    @property
    @abstractmethod
    def state(self) -> Any:
        """Everything the cache holds, arrays first."""

    @state.setter
    @abstractmethod
    def state(self, state: Any) -> None: ...

    def _restore(self, keys: Triple | None, values: Triple | None, scheme: tuple[int, int]) -> None:
        self.group_size, self.bits = int(scheme[0]), int(scheme[1])
        self.rows = None if keys is None or values is None else QuantizedPair(*keys, *values)


def append(rows: QuantizedPair | None, used: int, part: QuantizedPair) -> QuantizedPair:
    """`rows` with `part` after its first `used` columns, in place where there is room.

    Grows to a multiple of `GROWTH_STEP` columns.
    """
    needed = used + part.tokens
    if rows is not None and rows.tokens >= needed:
        rows.write(used, part)
        return rows
    slack = -needed % GROWTH_STEP
    if rows is None or used == 0:
        return part.pad(right=slack)
    return rows.cut(tokens=(0, used)).concatenate_tokens([part]).pad(right=slack)


def check_alike(caches: Sequence[Quantization]) -> None:
    """Raise CacheError unless all of them quantize the same way."""
    schemes = {(cache.bits, cache.group_size) for cache in caches}
    if len(schemes) > 1:
        raise CacheError(
            "Only caches quantized the same way can share a batch; these have (bits, group) of "
            f"{', '.join(map(str, sorted(schemes)))}."
        )
