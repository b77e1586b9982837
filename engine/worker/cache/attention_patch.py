"""Puts attention over quantized keys and values in the place of mlx-lm's, for every model."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import mlx.core as mx
from mlx_lm.models import base

from engine.compute import ComputeKind
from engine.worker.cache.attention import Attended, Mask, attend
from engine.worker.cache.attention_routes import ROUTES, Route
from engine.worker.cache.errors import CacheError

Attend = Callable[..., mx.array]

_NAME = "scaled_dot_product_attention"
_MODELS = "mlx_lm.models."


class AttentionPatch:
    """Another function in the place of mlx-lm's attention, in all model modules, until undone.

    The modules import the function's name, so each one loaded is changed; one loaded later takes
    the name from `base`, which is changed too. Patches are undone in the reverse order.
    """

    def __init__(self, replacement: Attend) -> None:
        self._replacement = replacement
        self._replaced: Attend = getattr(base, _NAME)
        _swap(self._replaced, self._replacement)

    def undo(self) -> None:
        """Give every module the function it had, those loaded meanwhile included."""
        _swap(self._replacement, self._replaced)


def install_attention(kind: ComputeKind) -> AttentionPatch:
    """Let every model of mlx-lm attend to quantized keys and values on this backend's route."""
    return AttentionPatch(attention_on(ROUTES[kind]))


@contextmanager
def patched_attention(replacement: Attend) -> Iterator[None]:
    """Another attention function for a while."""
    patch = AttentionPatch(replacement)
    try:
        yield
    finally:
        patch.undo()


def attention_on(route: Route) -> Attend:
    """A function with the signature of mlx-lm's `scaled_dot_product_attention`."""

    def scaled_dot_product_attention(
        queries: mx.array,
        keys: Any,
        values: Any,
        cache: Any,
        scale: float,
        mask: Mask,
        sinks: mx.array | None = None,
    ) -> mx.array:
        if isinstance(keys, mx.array):
            return mx.fast.scaled_dot_product_attention(
                queries, keys, values, scale=scale, mask=mask, sinks=sinks
            )
        if sinks is not None:
            raise CacheError(
                "This model's attention sinks need plain keys and values; turn KV quantization off."
            )
        return attend(Attended(queries, tuple(keys), tuple(values), scale, mask), route)

    return scaled_dot_product_attention


def _swap(old: Attend, new: Attend) -> None:
    for module in _model_modules():
        if getattr(module, _NAME, None) is old:
            setattr(module, _NAME, new)


def _model_modules() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith(_MODELS)]
