"""What of each class of cache is kept in a file, and how it is rebuilt from that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.array_rows import QuantizedPair
from engine.worker.cache.batch_quantized import BatchQuantizedKVCache
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.errors import CacheError
from engine.worker.cache.lone_rotating_row import LoneRotatingRow
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache

_TRIPLES = tuple(
    f"{side}.{part}" for side in ("keys", "values") for part in ("packed", "scales", "biases")
)

# mlx-lm carries hardly any types.
_KV: Any = mlx_caches.KVCache
_Concatenate: Any = mlx_caches.ConcatenateKVCache
_Chunked: Any = mlx_caches.ChunkedKVCache
_Quantized: Any = mlx_caches.QuantizedKVCache
_Rotating: Any = mlx_caches.RotatingKVCache
_Arrays: Any = mlx_caches.ArraysCache
_List: Any = mlx_caches.CacheList
_BatchKV: Any = mlx_caches.BatchKVCache
_BatchRotating: Any = mlx_caches.BatchRotatingKVCache


@dataclass(frozen=True, slots=True)
class Packed:
    """One cache as named arrays and whole numbers, or as the caches it is made of."""

    kind: str
    arrays: Mapping[str, mx.array] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    children: tuple[Packed, ...] = ()


@dataclass(frozen=True, slots=True)
class _Format:
    cache_class: Any
    pack: Callable[[str, Any], Packed]
    unpack: Callable[[Packed], Any]


def pack(cache: Any) -> Packed:
    """The live content of a cache. Raises CacheError for a class that is not in the table."""
    for kind, entry in _FORMATS.items():
        if type(cache) is entry.cache_class:
            return entry.pack(kind, cache)
    raise CacheError(f"Caches of class {type(cache).__name__} cannot be saved.")


def unpack(packed: Packed) -> Any:
    """The cache again. Raises CacheError for an unknown kind, KeyError for missing content."""
    entry = _FORMATS.get(packed.kind)
    if entry is None:
        raise CacheError(f"The saved cache is of a kind unknown here: {packed.kind}.")
    return entry.unpack(packed)


def _pack_full(kind: str, cache: Any) -> Packed:
    if cache.keys is None or not cache.offset:
        return Packed(kind)
    keys, values = (array[..., : cache.offset, :] for array in (cache.keys, cache.values))
    return Packed(kind, {"keys": keys, "values": values})


def _unpack_full(cache: Any, packed: Packed) -> Any:
    if packed.arrays:
        cache.keys, cache.values = packed.arrays["keys"], packed.arrays["values"]
        cache.offset = cache.keys.shape[2]
    return cache


def _pack_chunked(kind: str, cache: Any) -> Packed:
    numbers = {"chunk_size": cache.chunk_size, "start": cache.start_position}
    numbers["offset"] = cache.offset
    held = cache.offset - cache.start_position
    if cache.keys is None or not held:
        return Packed(kind, {}, numbers)
    keys, values = (array[..., :held, :] for array in (cache.keys, cache.values))
    return Packed(kind, {"keys": keys, "values": values}, numbers)


def _unpack_chunked(packed: Packed) -> Any:
    cache = _unpack_full(_Chunked(packed.numbers["chunk_size"]), packed)
    cache.start_position, cache.offset = packed.numbers["start"], packed.numbers["offset"]
    return cache


def _pack_quantized(kind: str, cache: Any) -> Packed:
    numbers = {"group_size": cache.group_size, "bits": cache.bits}
    if cache.keys is None or not cache.offset:
        return Packed(kind, {}, numbers)
    parts = (part[..., : cache.offset, :] for part in (*cache.keys, *cache.values))
    return Packed(kind, dict(zip(_TRIPLES, parts, strict=True)), numbers)


def _unpack_quantized(packed: Packed) -> Any:
    cache = QuantizedKVCache(packed.numbers["group_size"], packed.numbers["bits"])
    if packed.arrays:
        cache.rows = QuantizedPair(*(packed.arrays[name] for name in _TRIPLES))
        cache.offset = cache.rows.tokens
    return cache


def _unpack_mlx_quantized(packed: Packed) -> Any:
    cache = _unpack_quantized(packed)
    return _Quantized.from_state(cache.state)


def _pack_rotating(kind: str, cache: Any) -> Packed:
    numbers = {"max_size": cache.max_size, "keep": cache.keep, "offset": cache.offset}
    if cache.keys is None or not cache.offset:
        return Packed(kind, {}, {**numbers, "offset": 0, "ring_index": 0})
    arrays, ring_index = {"keys": cache.keys, "values": cache.values}, cache._idx
    if cache.keys.shape[2] != cache.max_size or cache.offset < cache.max_size:
        arrays = {name: _in_time_order(cache, array) for name, array in arrays.items()}
        ring_index = arrays["keys"].shape[2]
    return Packed(kind, arrays, {**numbers, "ring_index": ring_index})


def _in_time_order(cache: Any, array: mx.array) -> Any:
    ordered = cache._temporal_order(array)
    return cache._trim(ordered.shape[2] - cache.max_size, ordered)


def _unpack_rotating(packed: Packed) -> Any:
    numbers = packed.numbers
    cache = _Rotating(numbers["max_size"], numbers["keep"])
    if packed.arrays:
        cache.keys, cache.values = packed.arrays["keys"], packed.arrays["values"]
    cache.offset, cache._idx = numbers["offset"], numbers["ring_index"]
    return cache


def _pack_rotating_quantized(kind: str, cache: RotatingQuantizedKVCache) -> Packed:
    numbers = {"max_size": cache.max_size, "keep": cache.keep}
    numbers |= {"group_size": cache.group_size, "bits": cache.bits}
    live = cache.live_rows()
    if live is None or cache.rows is None:
        return Packed(kind, {}, {**numbers, "offset": 0, "ring_index": 0})
    is_full_ring = cache.rows.tokens == cache.max_size <= cache.offset
    rows, ring_index = (cache.rows, cache.ring_index) if is_full_ring else (live, live.tokens)
    arrays = dict(zip(_TRIPLES, rows.arrays, strict=True))
    return Packed(kind, arrays, {**numbers, "offset": cache.offset, "ring_index": ring_index})


def _unpack_rotating_quantized(packed: Packed) -> RotatingQuantizedKVCache:
    numbers = packed.numbers
    cache = RotatingQuantizedKVCache(
        numbers["max_size"], numbers["keep"], numbers["group_size"], numbers["bits"]
    )
    if packed.arrays:
        cache.restore(QuantizedPair(*(packed.arrays[name] for name in _TRIPLES)), numbers["offset"])
        cache.ring_index = numbers["ring_index"]
    return cache


def _pack_arrays(kind: str, cache: Any) -> Packed:
    arrays = {f"state{index}": state for index, state in enumerate(cache.cache)}
    arrays |= {"left_padding": cache.left_padding, "lengths": cache.lengths}
    present = {name: array for name, array in arrays.items() if array is not None}
    return Packed(kind, present, {"size": len(cache.cache)})


def _unpack_arrays(packed: Packed) -> Any:
    cache = _Arrays(packed.numbers["size"])
    cache.cache = [packed.arrays.get(f"state{index}") for index in range(len(cache.cache))]
    cache.left_padding = packed.arrays.get("left_padding")
    cache.lengths = packed.arrays.get("lengths")
    return cache


def _pack_list(kind: str, cache: Any) -> Packed:
    return Packed(kind, children=tuple(pack(child) for child in cache.caches))


def _unpack_list(packed: Packed) -> Any:
    return _List(*(unpack(child) for child in packed.children))


def _pack_batch(kind: str, cache: Any) -> Packed:
    rows = range(cache.offset.size)
    if cache.empty():
        return Packed(kind, children=tuple(pack(_empty_row(cache)) for _ in rows))
    return Packed(kind, children=tuple(pack(cache.extract(row)) for row in rows))


def _empty_row(cache: Any) -> Any:
    if isinstance(cache, _BatchKV):
        return _KV()
    return _Rotating(cache.max_size) if isinstance(cache, _BatchRotating) else cache.extract(0)


def _pack_lone(kind: str, cache: LoneRotatingRow) -> Packed:
    return Packed(kind, children=(pack(cache.row),))


def _unpack_lone(packed: Packed) -> LoneRotatingRow:
    return LoneRotatingRow(*(unpack(child) for child in packed.children))


def _unpack_batch(packed: Packed) -> Any:
    rows = [unpack(child) for child in packed.children]
    return rows[0].merge(rows)


_FORMATS: dict[str, _Format] = {
    "mlx_lm.KVCache": _Format(_KV, _pack_full, lambda packed: _unpack_full(_KV(), packed)),
    "mlx_lm.ConcatenateKVCache": _Format(
        _Concatenate, _pack_full, lambda packed: _unpack_full(_Concatenate(), packed)
    ),
    "mlx_lm.ChunkedKVCache": _Format(_Chunked, _pack_chunked, _unpack_chunked),
    "mlx_lm.QuantizedKVCache": _Format(_Quantized, _pack_quantized, _unpack_mlx_quantized),
    "mlx_lm.RotatingKVCache": _Format(_Rotating, _pack_rotating, _unpack_rotating),
    "mlx_lm.ArraysCache": _Format(_Arrays, _pack_arrays, _unpack_arrays),
    "mlx_lm.CacheList": _Format(_List, _pack_list, _unpack_list),
    "mlx_lm.BatchKVCache": _Format(_BatchKV, _pack_batch, _unpack_batch),
    "mlx_lm.BatchRotatingKVCache": _Format(_BatchRotating, _pack_batch, _unpack_batch),
    "zib.QuantizedKVCache": _Format(QuantizedKVCache, _pack_quantized, _unpack_quantized),
    "zib.BatchQuantizedKVCache": _Format(BatchQuantizedKVCache, _pack_batch, _unpack_batch),
    "zib.RotatingQuantizedKVCache": _Format(
        RotatingQuantizedKVCache, _pack_rotating_quantized, _unpack_rotating_quantized
    ),
    "zib.BatchRotatingQuantizedKVCache": _Format(
        BatchRotatingQuantizedKVCache,
        _pack_batch,
        lambda packed: BatchRotatingQuantizedKVCache.merge(
            [unpack(child) for child in packed.children]
        ),
    ),
    "zib.LoneRotatingRow": _Format(LoneRotatingRow, _pack_lone, _unpack_lone),
}
