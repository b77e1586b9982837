"""What a model's caches are, and which of them its code can use quantized.

MLX computes nothing until asked: calling a model on a few tokens only builds its computation, in
milliseconds, and shows every shape and every mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx_lm.models import cache as mlx_caches

from engine.plan.kv_scheme import Quantization
from engine.worker.cache.attention_patch import attention_on, patched_attention
from engine.worker.cache.attention_routes import ROUTES
from engine.worker.cache.twins import quantized_twin

CacheKind = Literal["full", "sliding", "recurrent", "combined", "other"]
Unusable = dict[int, str]

# mlx-lm carries hardly any types.
make_prompt_cache: Any = mlx_caches.make_prompt_cache
ArraysCache: Any = mlx_caches.ArraysCache
CacheList: Any = mlx_caches.CacheList
KVCache: Any = mlx_caches.KVCache
RotatingKVCache: Any = mlx_caches.RotatingKVCache

_ANY_ROUTE = ROUTES["reference"]
_NEW_TOKENS = (2, 1, 2)
# What Python and MLX raise when triples are taken for arrays.
_MISUSE = (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError)
_OWN_WAY = "its attention works on keys and values in a way of its own"


@dataclass(frozen=True, slots=True)
class CacheSlot:
    """One cache of a model's list; sizes are 0 where there are no keys."""

    kind: CacheKind
    class_name: str
    key_size: int = 0
    value_size: int = 0


@dataclass(frozen=True, slots=True)
class ModelCaches:
    """The model's caches in the order of its list; whether any layer has attention sinks."""

    slots: tuple[CacheSlot, ...]
    has_sinks: bool


def examine(model: Module) -> ModelCaches:
    """Look at a model with its own, plain caches."""
    caches = make_prompt_cache(model)
    sinks_seen: list[mx.array] = []
    attend = attention_on(_ANY_ROUTE)

    def recording(
        queries: mx.array,
        keys: Any,
        values: Any,
        cache: Any,
        scale: float,
        mask: Any,
        sinks: mx.array | None = None,
    ) -> mx.array:
        if sinks is not None:
            sinks_seen.append(sinks)
        return attend(queries, keys, values, cache, scale, mask, sinks=sinks)

    with patched_attention(recording):
        _build(model, caches)
    return ModelCaches(tuple(_slot(cache) for cache in caches), bool(sinks_seen))


def find_unusable(model: Module, stored: Sequence[Quantization | None]) -> Unusable:
    """The caches, by index, that the model's code cannot use quantized as `stored` says."""
    if not any(stored) or _works(model, stored):
        return {}
    unusable = {
        index: _OWN_WAY
        for index, scheme in enumerate(stored)
        if scheme and not _works(model, _only(stored, index))
    }
    rest = [None if index in unusable else scheme for index, scheme in enumerate(stored)]
    if _works(model, rest):
        return unusable
    return {index: _OWN_WAY for index, scheme in enumerate(stored) if scheme}


def _works(model: Module, stored: Sequence[Quantization | None]) -> bool:
    caches = [
        cache if scheme is None else quantized_twin(cache, scheme)
        for cache, scheme in zip(make_prompt_cache(model), stored, strict=True)
    ]
    try:
        with patched_attention(attention_on(_ANY_ROUTE)):
            _build(model, caches)
    except _MISUSE:
        return False
    return True


def _build(model: Any, caches: list[Any]) -> None:
    """Several tokens, one, and several on top of what is there: each may take another path."""
    for count in _NEW_TOKENS:
        model(mx.zeros((1, count), mx.int32), cache=caches)


def _only(stored: Sequence[Quantization | None], kept: int) -> list[Quantization | None]:
    return [scheme if index == kept else None for index, scheme in enumerate(stored)]


def _slot(cache: Any) -> CacheSlot:
    name = type(cache).__name__
    if isinstance(cache, ArraysCache):
        return CacheSlot("recurrent", name)
    if isinstance(cache, CacheList):
        return CacheSlot("combined", name)
    # Subclasses keep their tokens in an order of their own.
    if type(cache) not in (KVCache, RotatingKVCache) or cache.keys is None:
        return CacheSlot("other", name)
    kind: CacheKind = "full" if type(cache) is KVCache else "sliding"
    return CacheSlot(kind, name, int(cache.keys.shape[-1]), int(cache.values.shape[-1]))
