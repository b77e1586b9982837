"""Which quantized cache takes the place of which of mlx-lm's plain ones."""

from __future__ import annotations

from typing import Any

from mlx_lm.models import cache as mlx_caches

from engine.plan.kv_scheme import Quantization
from engine.worker.cache.batch_quantized import BatchQuantizedKVCache
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache

# mlx-lm carries hardly any types. Subclasses keep their tokens in an order of their own.
_BATCHED_WINDOW: Any = mlx_caches.BatchRotatingKVCache
_TWINS: dict[Any, Any] = {
    mlx_caches.KVCache: QuantizedKVCache,
    mlx_caches.RotatingKVCache: RotatingQuantizedKVCache,
    mlx_caches.BatchKVCache: BatchQuantizedKVCache,
    _BATCHED_WINDOW: BatchRotatingQuantizedKVCache,
}


def has_twin(cache: Any) -> bool:
    """Whether a cache is plain and can be quantized."""
    return type(cache) in _TWINS


def quantized_twin(cache: Any, scheme: Quantization) -> Any:
    """The same rows quantized; a batch of one sliding row can still be prefilled afterwards."""
    if type(cache) is _BATCHED_WINDOW and len(cache.left_padding) == 1:
        return RotatingQuantizedKVCache.merge([quantized_twin(cache.extract(0), scheme)])
    return _TWINS[type(cache)].from_plain(cache, scheme.group_size, scheme.bits)
