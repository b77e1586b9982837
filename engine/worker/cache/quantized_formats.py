"""How quantized caches become named arrays and numbers, and back."""

from __future__ import annotations

from typing import Any

from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.array_rows import QuantizedPair
from engine.worker.cache.packed import Packed
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache

_TRIPLES = tuple(
    f"{side}.{part}" for side in ("keys", "values") for part in ("packed", "scales", "biases")
)

# mlx-lm carries hardly any types.
_Quantized: Any = mlx_caches.QuantizedKVCache


def pack_quantized(kind: str, cache: Any) -> Packed:
    numbers = {"group_size": cache.group_size, "bits": cache.bits}
    if cache.keys is None or not cache.offset:
        return Packed(kind, {}, numbers)
    parts = (part[..., : cache.offset, :] for part in (*cache.keys, *cache.values))
    return Packed(kind, dict(zip(_TRIPLES, parts, strict=True)), numbers)


def unpack_quantized(packed: Packed) -> Any:
    cache = QuantizedKVCache(packed.numbers["group_size"], packed.numbers["bits"])
    if packed.arrays:
        cache.rows = QuantizedPair(*(packed.arrays[name] for name in _TRIPLES))
        cache.offset = cache.rows.tokens
    return cache


def unpack_mlx_quantized(packed: Packed) -> Any:
    cache = unpack_quantized(packed)
    return _Quantized.from_state(cache.state)


def pack_rotating_quantized(kind: str, cache: RotatingQuantizedKVCache) -> Packed:
    numbers = {"max_size": cache.max_size, "keep": cache.keep}
    numbers |= {"group_size": cache.group_size, "bits": cache.bits}
    live = cache.live_rows()
    if live is None or cache.rows is None:
        return Packed(kind, {}, {**numbers, "offset": 0, "ring_index": 0})
    is_full_ring = cache.rows.tokens == cache.max_size <= cache.offset
    rows, ring_index = (cache.rows, cache.ring_index) if is_full_ring else (live, live.tokens)
    arrays = dict(zip(_TRIPLES, rows.arrays, strict=True))
    return Packed(kind, arrays, {**numbers, "offset": cache.offset, "ring_index": ring_index})


def unpack_rotating_quantized(packed: Packed) -> RotatingQuantizedKVCache:
    numbers = packed.numbers
    cache = RotatingQuantizedKVCache(
        numbers["max_size"], numbers["keep"], numbers["group_size"], numbers["bits"]
    )
    if packed.arrays:
        cache.restore(QuantizedPair(*(packed.arrays[name] for name in _TRIPLES)), numbers["offset"])
        cache.ring_index = numbers["ring_index"]
    return cache
