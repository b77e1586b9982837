"""Kinds of cache are told apart for the gauge."""

from __future__ import annotations

import mlx.core as mx

from engine.worker.kv_usage import _bits, _kind
from tests.engine.kept import KVCache, filled


def test_kinds_of_cache_are_told_apart() -> None:
    full, rotating = filled([1, 2])[0], filled([1, 2], window=4)[0]
    quantized = KVCache()
    quantized.update_and_fetch(mx.zeros((1, 1, 2, 64)), mx.zeros((1, 1, 2, 64)))
    eight_bits = quantized.to_quantized(group_size=64, bits=8)
    layers = (full, rotating, eight_bits)
    assert [_kind(layer) for layer in layers] == ["full", "rotating", "quantized"]
    assert [_bits(layer) for layer in layers] == [32, 32, 8]
