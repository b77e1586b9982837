"""The first run of a loaded model: compiles its kernels and measures what a chunk costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx_lm.models.cache import KVCache

from engine.worker.cache.detached import flatten
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache_scheme import CacheScheme
from engine.worker.disk_tier_format import LayerRecord
from engine.worker.disk_tier_layers import samples

CHUNK = 32
"""Tokens: enough to see the matrix products, few enough for a slow processor."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What the run showed. Bytes.

    `kv_token_bytes` is 0 where a token's share is not constant; `peak_bytes` is what one chunk of
    `CHUNK` tokens needed above the weights, its caches included. `looks` are a row's layers as
    they are made and as they are finally stored.
    """

    vocabulary_size: int
    kv_token_bytes: int
    peak_bytes: int
    looks: tuple[tuple[LayerRecord, ...], ...] = ()


def run_trial(model: Module, scheme: CacheScheme) -> Trial:
    """Read one chunk and write one token, on keys and values as they are finally stored."""
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    caches: Any = scheme.make()
    chunk = mx.array([[0] * CHUNK])
    # As in mlx-lm's prefill: nobody asks for the logits of a prompt.
    mx.eval(model(chunk, cache=caches)[:, :0], [cache.state for cache in caches])
    peak = mx.get_peak_memory() - before
    made = samples(caches)
    scheme.convert_all(caches)
    logits = model(mx.array([[0]]), cache=caches)
    mx.eval(logits)
    looks = tuple(look for look in (made, samples(caches)) if look)
    trial = Trial(int(logits.shape[-1]), _token_bytes(caches), peak, looks)
    del caches, logits
    mx.clear_cache()
    mx.reset_peak_memory()
    return trial


def _token_bytes(caches: Sequence[Any]) -> int:
    layers = list(flatten(caches))
    if not all(type(layer) in (KVCache, QuantizedKVCache) and layer.nbytes for layer in layers):
        return 0
    return sum(layer.nbytes // _columns(layer) for layer in layers)


def _columns(layer: Any) -> int:
    """Tokens that the layer has room for."""
    keys: Any = layer.keys
    return int((keys if type(layer) is KVCache else keys[0]).shape[-2])
