"""Every class of cache that can be kept in a file, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlx_lm.models import cache as mlx_caches

from engine.worker.cache import plain_formats as plain
from engine.worker.cache import quantized_formats as quantized
from engine.worker.cache.batch_quantized import BatchQuantizedKVCache
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.errors import CacheError
from engine.worker.cache.lone_rotating_row import LoneRotatingRow
from engine.worker.cache.packed import Packed
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache

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


def _pack_list(kind: str, cache: Any) -> Packed:
    return Packed(kind, children=tuple(pack(child) for child in cache.caches))


def _unpack_list(packed: Packed) -> Any:
    return _List(*(unpack(child) for child in packed.children))


def _pack_batch(kind: str, cache: Any) -> Packed:
    rows = range(cache.offset.size)
    if not rows:
        raise CacheError("A batch without rows holds nothing that could be saved.")
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
    "mlx_lm.KVCache": _Format(
        _KV, plain.pack_full, lambda packed: plain.unpack_full(_KV(), packed)
    ),
    "mlx_lm.ConcatenateKVCache": _Format(
        _Concatenate, plain.pack_full, lambda packed: plain.unpack_full(_Concatenate(), packed)
    ),
    "mlx_lm.ChunkedKVCache": _Format(_Chunked, plain.pack_chunked, plain.unpack_chunked),
    "mlx_lm.QuantizedKVCache": _Format(
        _Quantized, quantized.pack_quantized, quantized.unpack_mlx_quantized
    ),
    "mlx_lm.RotatingKVCache": _Format(_Rotating, plain.pack_rotating, plain.unpack_rotating),
    "mlx_lm.ArraysCache": _Format(_Arrays, plain.pack_arrays, plain.unpack_arrays),
    "mlx_lm.CacheList": _Format(_List, _pack_list, _unpack_list),
    "mlx_lm.BatchKVCache": _Format(_BatchKV, _pack_batch, _unpack_batch),
    "mlx_lm.BatchRotatingKVCache": _Format(_BatchRotating, _pack_batch, _unpack_batch),
    "zib.QuantizedKVCache": _Format(
        QuantizedKVCache, quantized.pack_quantized, quantized.unpack_quantized
    ),
    "zib.BatchQuantizedKVCache": _Format(BatchQuantizedKVCache, _pack_batch, _unpack_batch),
    "zib.RotatingQuantizedKVCache": _Format(
        RotatingQuantizedKVCache,
        quantized.pack_rotating_quantized,
        quantized.unpack_rotating_quantized,
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
