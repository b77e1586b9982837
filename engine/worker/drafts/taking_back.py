"""Whether the caches of a row can take back tokens that were fed to try them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlx_lm.models import cache as mlx_caches

from engine.worker.cache.detached import flatten
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache

# mlx-lm carries hardly any types. Others trim too, but not across the end of a chunk of theirs.
_GROWING: tuple[Any, ...] = (mlx_caches.KVCache, mlx_caches.QuantizedKVCache, QuantizedKVCache)
_ROTATING: tuple[Any, ...] = (mlx_caches.RotatingKVCache, RotatingQuantizedKVCache)
_NO_END = 1 << 62


def room_to_take_back(caches: Iterable[Any]) -> int:
    """How many tokens can be fed and all be taken back again; 0 for none.

    A sliding window takes tokens back only while nothing fell out of it, a recurrent state never,
    and the caches of a batch are not looked at.
    """
    room = _NO_END
    for layer in flatten(caches):
        if type(layer) in _ROTATING:
            room = min(room, layer.max_size - 1 - layer.offset)
        elif type(layer) not in _GROWING:
            return 0
    return max(room, 0)


def take_back(caches: Iterable[Any], tokens: int) -> None:
    """Forget the last tokens, of which there was room for so many."""
    if tokens > 0:
        for layer in caches:
            layer.trim(tokens)
