"""The first run of a loaded model: compiles its kernels and measures what a chunk costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx_lm.models.cache import CacheList, KVCache, make_prompt_cache

CHUNK = 32
"""Tokens: enough to see the matrix products, few enough for a slow processor."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What the run showed. Bytes.

    `kv_token_bytes` is 0 where a token's share is not constant; `peak_bytes` is what one chunk of
    `CHUNK` tokens needed above the weights, its caches included.
    """

    vocabulary_size: int
    kv_token_bytes: int
    peak_bytes: int


def run_trial(model: Module) -> Trial:
    """Read one chunk and write one token."""
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    caches: Any = make_prompt_cache(model)
    chunk = mx.array([[0] * CHUNK])
    # As in mlx-lm's prefill: nobody asks for the logits of a prompt.
    mx.eval(model(chunk, cache=caches)[:, :0], [cache.state for cache in caches])
    peak = mx.get_peak_memory() - before
    logits = model(mx.array([[0]]), cache=caches)
    mx.eval(logits)
    trial = Trial(int(logits.shape[-1]), _token_bytes(caches), peak)
    del caches, logits
    mx.clear_cache()
    mx.reset_peak_memory()
    return trial


def _token_bytes(caches: Sequence[Any]) -> int:
    layers = [
        part
        for cache in caches
        for part in (cache.caches if isinstance(cache, CacheList) else (cache,))
    ]
    if not all(type(layer) is KVCache and layer.keys is not None for layer in layers):
        return 0
    return sum(layer.nbytes // layer.keys.shape[-2] for layer in layers)
