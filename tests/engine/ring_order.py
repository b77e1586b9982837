"""Attention to a quantized ring with its columns in time order, as a prompt's chunks have them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mlx.core as mx
from mlx_lm.models import base

from engine.worker.cache.attention_patch import patched_attention
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache


@contextmanager
def attended_in_time_order() -> Iterator[None]:
    """Let sums over a ring be taken in the order of the tokens.

    A decoded token sees the ring as it lies. The same sum in another order differs in its last
    bit, the next layer rounds what comes of it to a few bits, and a bit tipped there moves the
    logits by thousandths: nothing a cache could help. In one order all runs agree to 1e-5.
    """
    attend: Any = base.scaled_dot_product_attention

    def in_time_order(
        queries: mx.array, keys: Any, values: Any, cache: Any, scale: float, mask: Any, **more: Any
    ) -> mx.array:
        if isinstance(cache, RotatingQuantizedKVCache) and queries.shape[2] == 1:
            assert not cache.keep
            oldest = cache.ring_index % keys[0].shape[2]
            keys, values = (
                tuple(mx.roll(part, -oldest, 2) for part in triple) for triple in (keys, values)
            )
            if isinstance(mask, mx.array):
                mask = mx.roll(mask, -oldest, -1)
        result: mx.array = attend(queries, keys, values, cache, scale, mask, **more)
        return result

    with patched_attention(in_time_order):
        yield
