"""From a request's sampling wishes to mlx-lm's sampler."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx_lm.sample_utils import make_sampler

from engine.protocol import Sampling
from engine.serving.backend import Refused

FALLBACK_TEMPERATURE = 0.7

Sampler = Callable[[mx.array], mx.array]


def build_sampler(wish: Sampling, generation_config: dict[str, Any]) -> Sampler:
    """Request over the model's generation_config over our fallback. Raises Refused."""
    temperature = _pick(wish.temperature, generation_config, "temperature", FALLBACK_TEMPERATURE)
    top_p = _pick(wish.top_p, generation_config, "top_p", 0.0)
    min_p = _pick(wish.min_p, generation_config, "min_p", 0.0)
    top_k = int(_pick(wish.top_k, generation_config, "top_k", 0))
    if wish.temperature is None and generation_config.get("do_sample") is False:
        temperature = 0.0
    _check("temperature", temperature, 0.0, 10.0)
    _check("top_p", top_p, 0.0, 1.0)
    _check("min_p", min_p, 0.0, 1.0)
    _check("top_k", float(top_k), 0.0, 1_000_000.0)
    sampler: Sampler = make_sampler(temp=temperature, top_p=top_p, min_p=min_p, top_k=top_k)
    return sampler


def _pick(
    wish: float | None, generation_config: dict[str, Any], key: str, fallback: float
) -> float:
    if wish is not None:
        return float(wish)
    value = generation_config.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else fallback


def _check(name: str, value: float, low: float, high: float) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        raise Refused("bad-request", f"{name} must be between {low:g} and {high:g}, not {value:g}.")
