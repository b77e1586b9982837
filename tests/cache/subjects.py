"""Rows of tokens to feed caches with, and caches of every kind that were fed them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.array_rows import QuantizedPair
from engine.worker.cache.batch_quantized import BatchQuantizedKVCache
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache

# mlx-lm carries hardly any types.
KVCache: Any = mlx_caches.KVCache
RotatingKVCache: Any = mlx_caches.RotatingKVCache
BatchKVCache: Any = mlx_caches.BatchKVCache
BatchRotatingKVCache: Any = mlx_caches.BatchRotatingKVCache
ArraysCache: Any = mlx_caches.ArraysCache
CacheList: Any = mlx_caches.CacheList
ChunkedKVCache: Any = mlx_caches.ChunkedKVCache
ConcatenateKVCache: Any = mlx_caches.ConcatenateKVCache
MlxQuantizedKVCache: Any = mlx_caches.QuantizedKVCache

HEADS, WIDTH, GROUP, BITS = 2, 64, 64, 4
LONGEST = 160

Fed = tuple[mx.array, mx.array]
Solo = QuantizedKVCache | RotatingQuantizedKVCache
Batch = BatchQuantizedKVCache | BatchRotatingQuantizedKVCache


class Row:
    """A row's keys and values at every position: its number decides them."""

    def __init__(self, number: int) -> None:
        random = np.random.default_rng(number)
        shape = (1, HEADS, LONGEST, WIDTH)
        self.keys = mx.array(random.normal(size=shape).astype(np.float32))
        self.values = mx.array(random.normal(size=shape).astype(np.float32))

    def tokens(self, start: int, count: int = 1) -> Fed:
        """Keys and values of some positions."""
        stop = start + count
        return self.keys[:, :, start:stop], self.values[:, :, start:stop]


class NamedRow(Row):
    """A row whose keys say, exactly and through any quantization, which position they are of."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        names = mx.arange(LONGEST, dtype=mx.float32) + 1000 * (number + 1)
        self.keys = mx.broadcast_to(names[None, None, :, None], (1, HEADS, LONGEST, WIDTH))


def together(rows: Sequence[Row], starts: Sequence[int], count: int = 1) -> Fed:
    """The next `count` tokens of every row, as a batch is fed them."""
    fed = [row.tokens(start, count) for row, start in zip(rows, starts, strict=True)]
    return mx.concatenate([keys for keys, _ in fed]), mx.concatenate([values for _, values in fed])


def fill(cache: Any, row: Row, count: int) -> Any:
    """Prefill the first `count` tokens of a row in one piece."""
    if count:
        cache.update_and_fetch(*row.tokens(0, count))
    return cache


def held(cache: Solo) -> list[bytes]:
    """The bytes of the tokens a row holds, in time order: one entry an array."""
    live = cache.live_rows()
    return [] if live is None else bytes_of(live)


def bytes_of(rows: QuantizedPair) -> list[bytes]:
    """The bytes of every array."""
    return [np.array(array).tobytes() for array in rows.arrays]


def names_of(keys: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Which positions fetched keys of named rows are of: (rows, columns)."""
    packed, scales, biases = keys
    plain = mx.dequantize(packed, scales, biases, group_size=GROUP, bits=BITS)
    return np.array(plain[:, 0, :, 0]).astype(np.int64)


def positions(batch: Any) -> list[int]:
    """The position of each row's next token."""
    return [int(position) for position in np.array(batch.offset)]
