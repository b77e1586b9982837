"""What the KV caches of the running rows cost, by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mlx_lm.generate import BatchGenerator
from mlx_lm.models.cache import (
    ArraysCache,
    BatchRotatingKVCache,
    CacheList,
    QuantizedKVCache,
    RotatingKVCache,
)

from engine.protocol import CacheKind, KVUsage

_FULL_PRECISION_BITS = 32


def measure_rows(generator: BatchGenerator, tokens: int) -> tuple[KVUsage, ...]:
    """Usage of every layer the generator holds; `tokens` is what its rows contain."""
    # The generator offers only a byte total; the kinds are in these two batches.
    layers = [
        *_flatten(generator._prompt_batch.prompt_cache),
        *_flatten(generator._generation_batch.prompt_cache),
    ]
    groups: dict[tuple[CacheKind, int], list[Any]] = {}
    for layer in layers:
        groups.setdefault((_kind(layer), _bits(layer)), []).append(layer)
    return tuple(
        KVUsage(kind, len(members), bits, tokens, sum(layer.nbytes for layer in members))
        for (kind, bits), members in groups.items()
    )


def _flatten(layers: Iterable[Any]) -> Iterator[Any]:
    for layer in layers:
        if isinstance(layer, CacheList):
            yield from _flatten(layer.caches)
        else:
            yield layer


def _kind(layer: Any) -> CacheKind:
    match layer:
        case ArraysCache():
            return "recurrent"
        case BatchRotatingKVCache() | RotatingKVCache():
            return "rotating"
        case QuantizedKVCache():
            return "quantized"
        case _:
            return "full"


def _bits(layer: Any) -> int:
    if isinstance(layer, QuantizedKVCache):
        return int(layer.bits)
    keys = getattr(layer, "keys", None)
    return _FULL_PRECISION_BITS if keys is None else int(keys.dtype.size) * 8
