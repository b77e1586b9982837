"""How mlx-lm's plain and recurrent caches become named arrays and numbers, and back."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.packed import Packed

# mlx-lm carries hardly any types.
_Chunked: Any = mlx_caches.ChunkedKVCache
_Rotating: Any = mlx_caches.RotatingKVCache
_Arrays: Any = mlx_caches.ArraysCache


def pack_full(kind: str, cache: Any) -> Packed:
    if cache.keys is None or not cache.offset:
        return Packed(kind)
    keys, values = (array[..., : cache.offset, :] for array in (cache.keys, cache.values))
    return Packed(kind, {"keys": keys, "values": values})


def unpack_full(cache: Any, packed: Packed) -> Any:
    if packed.arrays:
        cache.keys, cache.values = packed.arrays["keys"], packed.arrays["values"]
        cache.offset = cache.keys.shape[2]
    return cache


def pack_chunked(kind: str, cache: Any) -> Packed:
    numbers = {"chunk_size": cache.chunk_size, "start": cache.start_position}
    numbers["offset"] = cache.offset
    held = cache.offset - cache.start_position
    if cache.keys is None or not held:
        return Packed(kind, {}, numbers)
    keys, values = (array[..., :held, :] for array in (cache.keys, cache.values))
    return Packed(kind, {"keys": keys, "values": values}, numbers)


def unpack_chunked(packed: Packed) -> Any:
    cache = unpack_full(_Chunked(packed.numbers["chunk_size"]), packed)
    cache.start_position, cache.offset = packed.numbers["start"], packed.numbers["offset"]
    return cache


def pack_rotating(kind: str, cache: Any) -> Packed:
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


def unpack_rotating(packed: Packed) -> Any:
    numbers = packed.numbers
    cache = _Rotating(numbers["max_size"], numbers["keep"])
    if packed.arrays:
        cache.keys, cache.values = packed.arrays["keys"], packed.arrays["values"]
    cache.offset, cache._idx = numbers["offset"], numbers["ring_index"]
    return cache


def pack_arrays(kind: str, cache: Any) -> Packed:
    arrays = {f"state{index}": state for index, state in enumerate(cache.cache)}
    arrays |= {"left_padding": cache.left_padding, "lengths": cache.lengths}
    present = {name: array for name, array in arrays.items() if array is not None}
    return Packed(kind, present, {"size": len(cache.cache)})


def unpack_arrays(packed: Packed) -> Any:
    cache = _Arrays(packed.numbers["size"])
    cache.cache = [packed.arrays.get(f"state{index}") for index in range(len(cache.cache))]
    cache.left_padding = packed.arrays.get("left_padding")
    cache.lengths = packed.arrays.get("lengths")
    return cache
