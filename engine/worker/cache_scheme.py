"""How the caches of rows are made and, as rows grow and join, quantized."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from mlx.nn.layers.base import Module
from mlx_lm.models.cache import make_prompt_cache

from engine.worker.cache.conversion import convert_all, convert_due, make_caches
from engine.worker.cache.policy import CachePolicy

Caches = list[Any]


def _leave(_: Caches) -> None:
    """Plain caches stay plain."""


@dataclass(frozen=True, slots=True)
class CacheScheme:
    """`make` gives empty caches for one row.

    `convert_due` quantizes what has grown long enough, after a chunk and between two steps;
    `convert_all` whatever is ever quantized, so that the caches of rows that join are alike. Both
    change the list in place.
    """

    make: Callable[[], Caches]
    convert_due: Callable[[Caches], object] = _leave
    convert_all: Callable[[Caches], object] = _leave
    start_tokens: int = 0
    """Tokens a row holds before anything is quantized."""


def plain_scheme(model: Any) -> CacheScheme:
    """The caches that mlx-lm gives the model."""
    return CacheScheme(partial(make_prompt_cache, model))


def policy_scheme(model: Module, policy: CachePolicy) -> CacheScheme:
    """The caches that a policy gives the model."""
    return CacheScheme(
        make=partial(make_caches, model, policy),
        convert_due=partial(convert_due, policy=policy),
        convert_all=partial(convert_all, policy=policy),
        start_tokens=policy.start_tokens,
    )
