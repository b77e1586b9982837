"""Caches of every class that can be kept, in every state that matters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx

from engine.worker.cache.lone_rotating_row import LoneRotatingRow
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from tests.cache.subjects import (
    BITS,
    GROUP,
    ArraysCache,
    ChunkedKVCache,
    ConcatenateKVCache,
    KVCache,
    MlxQuantizedKVCache,
    RotatingKVCache,
    Row,
    fill,
)

WINDOW = 8
ROWS = [Row(0), Row(1)]


def recurrent() -> Any:
    cache = ArraysCache(3)
    cache[0] = mx.random.normal((1, 3, 5), key=mx.random.key(1))
    cache[2] = mx.random.normal((1, 7), key=mx.random.key(2)).astype(mx.bfloat16)
    cache.lengths = mx.array([4])
    return cache


def after(make: Callable[[], Any], *counts: int) -> Any:
    """A cache fed so many tokens in one piece, then so many, and so on."""
    cache = make()
    for count in counts:
        cache.update_and_fetch(*ROWS[0].tokens(min(cache.offset, 100), count))
    return cache


def trimmed(cache: Any, tokens: int) -> Any:
    cache.trim(tokens)
    return cache


def batch(make: Callable[[], Any], *lengths: int) -> Any:
    rows = [fill(make(), row, count) for row, count in zip(ROWS, lengths, strict=False)]
    return type(rows[0]).merge(rows)


def quantized() -> QuantizedKVCache:
    return QuantizedKVCache(GROUP, BITS)


def rotating(keep: int = 0) -> RotatingQuantizedKVCache:
    return RotatingQuantizedKVCache(WINDOW, keep, GROUP, BITS)


def plain_ring(keep: int = 0) -> Any:
    return RotatingKVCache(WINDOW, keep)


def sinks() -> Any:
    return rotating(2)


def plain_sinks() -> Any:
    return plain_ring(2)


def chunked() -> Any:
    cache = after(lambda: ChunkedKVCache(4), 6)
    cache.maybe_trim_front()
    return cache


SOLO: dict[str, Callable[[], Any]] = {
    "plain empty": KVCache,
    "plain": lambda: after(KVCache, 5),
    "plain trimmed": lambda: trimmed(after(KVCache, 9), 4),
    "plain trimmed to nothing": lambda: trimmed(after(KVCache, 9), 9),
    "concatenating": lambda: after(ConcatenateKVCache, 9),
    "concatenating empty": ConcatenateKVCache,
    "chunked": chunked,
    "chunked empty": lambda: ChunkedKVCache(4),
    "mlx quantized": lambda: trimmed(after(lambda: MlxQuantizedKVCache(GROUP, BITS), 9), 4),
    "mlx quantized empty": lambda: MlxQuantizedKVCache(GROUP, BITS),
    "ring empty": plain_ring,
    "ring filling": lambda: after(plain_ring, 3, 1),
    "ring trimmed": lambda: trimmed(after(plain_ring, 6), 2),
    "ring just full": lambda: after(plain_ring, 7, 1),
    "ring overlong": lambda: after(plain_sinks, 20),
    "ring wrapped": lambda: after(plain_sinks, 5, *[1] * 7),
    "ring overlong after the wrap": lambda: after(plain_sinks, 5, *[1] * 7, 3),
    "quantized empty": quantized,
    "quantized": lambda: after(quantized, 5, 1, 3),
    "quantized trimmed": lambda: trimmed(after(quantized, 9), 4),
    "quantized trimmed to nothing": lambda: trimmed(after(quantized, 9), 9),
    "quantized ring empty": rotating,
    "quantized ring filling": lambda: after(rotating, 3, 1),
    "quantized ring trimmed": lambda: trimmed(after(rotating, 6), 2),
    "quantized ring just full": lambda: after(rotating, 7, 1),
    "quantized ring overlong": lambda: after(sinks, 20),
    "quantized ring wrapped": lambda: after(sinks, 5, *[1] * 7),
    "quantized ring overlong after the wrap": lambda: after(sinks, 5, *[1] * 7, 3),
    "lone empty": lambda: LoneRotatingRow(rotating()),
    "lone": lambda: LoneRotatingRow(after(sinks, 20, 1, 1)),
}
BATCHES: dict[str, Callable[[], Any]] = {
    "plain": lambda: batch(KVCache, 5, 3),
    "plain empty": lambda: batch(KVCache, 0, 0),
    "plain half empty": lambda: batch(KVCache, 0, 4),
    "ring": lambda: batch(plain_ring, 12, 3),
    "ring empty": lambda: batch(plain_ring, 0, 0),
    "quantized": lambda: batch(quantized, 5, 3),
    "quantized empty": lambda: batch(quantized, 0, 0),
    "quantized half empty": lambda: batch(quantized, 0, 4),
    "quantized ring": lambda: batch(sinks, 12, 3),
    "quantized ring empty": lambda: batch(sinks, 0, 0),
    "quantized ring half empty": lambda: batch(sinks, 0, 9),
}
