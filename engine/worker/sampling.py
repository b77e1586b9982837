"""From a request's sampling wishes to mlx-lm's sampler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx_lm.sample_utils import make_sampler

from engine.protocol import Sampling
from engine.serving.checks import HOTTEST

FALLBACK_TEMPERATURE = 0.7

Sampler = Callable[[mx.array], mx.array]


def build_sampler(
    wish: Sampling, generation_config: dict[str, Any], vocabulary_size: int
) -> Sampler:
    """Request over the model's generation_config over our fallback; `wish` is within bounds."""
    temperature = _pick(
        wish.temperature, generation_config, "temperature", HOTTEST, FALLBACK_TEMPERATURE
    )
    top_p = _pick(wish.top_p, generation_config, "top_p", 1.0, 0.0)
    min_p = _pick(wish.min_p, generation_config, "min_p", 1.0, 0.0)
    top_k = int(_pick(wish.top_k, generation_config, "top_k", vocabulary_size, 0))
    if wish.temperature is None and generation_config.get("do_sample") is False:
        temperature = 0.0
    sampler: Sampler = make_sampler(
        temp=temperature,
        top_p=top_p,
        min_p=min_p,
        # All candidates is what 0 means; mlx-lm raises for a number that large.
        top_k=top_k if top_k < vocabulary_size else 0,
    )
    return sampler


def _pick(
    wish: float | None, generation_config: dict[str, Any], key: str, high: float, fallback: float
) -> float:
    if wish is not None:
        return float(wish)
    value = generation_config.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return fallback
    # A model's own file may hold anything; NaN fails the comparison.
    return float(value) if 0 <= value <= high else fallback
