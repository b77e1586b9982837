"""Makes a model's caches as a policy says, and quantizes running ones once they are due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx_lm.models import cache as mlx_caches

from engine.plan.kv_scheme import Quantization
from engine.worker.cache.errors import CacheError
from engine.worker.cache.policy import CachePolicy
from engine.worker.cache.twins import has_twin, quantized_twin

# mlx-lm carries hardly any types.
_make_prompt_cache: Any = mlx_caches.make_prompt_cache


def make_caches(model: Module, policy: CachePolicy) -> list[Any]:
    """Empty caches for one new row: quantized from the first token unless the policy waits."""
    caches: list[Any] = _make_prompt_cache(model)
    _check_length(caches, policy)
    if policy.start_tokens:
        return caches
    return [
        quantized_twin(cache, layer.stored) if layer.stored else cache
        for cache, layer in zip(caches, policy.layers, strict=True)
    ]


def convert_due(caches: list[Any], policy: CachePolicy) -> int:
    """Quantize the plain caches that hold `start_tokens` or more; returns how many layers.

    For one row's caches after a prefill chunk, or a batch's between two decode steps: a quantized
    window of several rows takes one token at a time. The list is changed layer by layer: each
    plain cache is let go before the next is quantized, and an exception leaves a list that works
    as it is. Nobody else may hold the plain caches, or their memory stays.
    """
    _check_length(caches, policy)
    converted = 0
    for index, layer in enumerate(policy.layers):
        if layer.stored and _is_due(caches[index], policy.start_tokens):
            caches[index] = _converted(caches[index], layer.stored)
            converted += 1
    if converted:
        mx.clear_cache()
    return converted


def convert_all(caches: list[Any], policy: CachePolicy) -> int:
    """Quantize whatever the policy stores quantized, due or not: for a row that joins others."""
    return convert_due(caches, CachePolicy(policy.layers))


def _is_due(cache: Any, start_tokens: int) -> bool:
    return has_twin(cache) and not cache.empty() and _length(cache) >= start_tokens


def _length(cache: Any) -> int:
    """Tokens of a row; of a batch, tokens of its longest row."""
    offset: Any = cache.offset
    return int(offset.max()) if isinstance(offset, mx.array) else int(offset)


def _converted(cache: Any, scheme: Quantization) -> Any:
    quantized = quantized_twin(cache, scheme)
    mx.eval(quantized.keys, quantized.values)
    return quantized


def _check_length(caches: Sequence[Any], policy: CachePolicy) -> None:
    if len(caches) != len(policy.layers):
        raise CacheError(
            f"The KV policy is for a model with {len(policy.layers)} caches and this one has "
            f"{len(caches)}. Load the model again."
        )
