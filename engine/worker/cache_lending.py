"""Caches that two may hold: lent ones share their memory until written to, kept ones own theirs.

MLX writes into an array in place only when nobody else refers to its memory; else the first write
of a layer copies it. What is lent is cut to its live tokens, so that this first write copies those
and neither slack nor tokens that were taken back.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.array_rows import ArrayRows
from engine.worker.cache.detached import flatten
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache_entry import are_trimmable

# mlx-lm carries hardly any types.
_KV: Any = mlx_caches.KVCache
_Concatenate: Any = mlx_caches.ConcatenateKVCache


def lend(caches: Sequence[Any], surplus: int) -> list[Any]:
    """Caches without the last `surplus` tokens that go on as if they were alone.

    With a surplus every layer must be trimmable.
    """
    lent = copy.deepcopy(list(caches))
    cut_back(lent, surplus)
    for layer in flatten(lent):
        _leave_slack(layer)
    return lent


def cut_back(caches: Sequence[Any], surplus: int) -> None:
    """Take the last tokens out of caches that must be trimmable."""
    if surplus:
        for layer in caches:
            layer.trim(surplus)


def snapshot(caches: Sequence[Any]) -> list[Any]:
    """True copies of the live tokens: the caches themselves can be written to as before."""
    kept = copy.deepcopy(list(caches))
    for layer in flatten(kept):
        _leave_slack(layer)
        vars(layer).update({name: _owned(value) for name, value in vars(layer).items()})
    mx.eval([layer.state for layer in flatten(kept)])
    return kept


def stay_trimmable(caches: Iterable[Any], tokens: int) -> bool:
    """Whether rows on such caches can still take tokens back when they hold so many.

    Empty caches do as an example. A sliding window cannot any more once it has moved.
    """
    layers = list(flatten(caches))
    return are_trimmable(layers) and all(
        tokens < getattr(layer, "max_size", getattr(layer, "chunk_size", tokens + 1))
        for layer in layers
    )


def _leave_slack(layer: Any) -> None:
    if layer.empty():
        return
    if type(layer) in (_KV, _Concatenate):
        layer.keys = layer.keys[..., : layer.offset, :]
        layer.values = layer.values[..., : layer.offset, :]
    elif type(layer) is QuantizedKVCache:
        layer.rows = layer.live_rows()


def _owned(value: Any) -> Any:
    """The same with true copies of all arrays."""
    if isinstance(value, mx.array):
        return mx.array(value)
    if isinstance(value, ArrayRows):
        return value.true_copy()
    if type(value) in (list, tuple):
        return type(value)(map(_owned, value))
    return value
