"""Makes the caches of rows own their memory.

A slice of a batch, or one output of a split, keeps the whole buffer alive. mlx-lm cuts recurrent
states out of their batch as slices, and some models keep the last columns of a whole prefill
chunk as their convolution state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, CacheList

# mlx-lm carries hardly any types.
_CacheList: Any = CacheList


def detach(layers: Iterable[Any]) -> None:
    """Evaluate every cache and replace recurrent states by true copies of them.

    For the caches of a row that left a batch, and for a batch after each prefill chunk.
    """
    every = list(flatten(layers))
    for layer in every:
        if isinstance(layer, ArraysCache):
            layer.cache = [None if state is None else mx.array(state) for state in layer.cache]
    mx.eval([layer.state for layer in every])


def extract_row(layers: Iterable[Any], index: int) -> list[Any]:
    """One row of a batch as caches of its own, owning their memory.

    mlx-lm's own extraction fails on a recurrent cache with a state that was never written.
    """
    row = [_extract(layer, index) for layer in layers]
    detach(row)
    return row


def flatten(layers: Iterable[Any]) -> Iterator[Any]:
    """Every cache, those inside mlx-lm's CacheList one by one."""
    for layer in layers:
        if isinstance(layer, CacheList):
            yield from flatten(layer.caches)
        else:
            yield layer


def _extract(layer: Any, index: int) -> Any:
    if isinstance(layer, CacheList):
        return _CacheList(*(_extract(child, index) for child in layer.caches))
    if not isinstance(layer, ArraysCache):
        return layer.extract(index)
    row = ArraysCache(len(layer.cache))
    row.cache = [None if state is None else state[index : index + 1] for state in layer.cache]
    return row
