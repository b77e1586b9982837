"""Whether the rows of a model can share a batch, and whether their prompts can be read together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache, RotatingKVCache

from engine.serving.containment import Caught, attempt
from engine.worker.cache.detached import flatten
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache_scheme import CacheScheme

_LONG, _SHORT = (3, 1, 4, 1, 5), (2, 7, 1)
_TOLERANCE = 0.02
"""Of the spread of the logits. Rounding makes a thousandth of it in half precision; a wrong
position or a mask that lets padding through makes a tenth."""
Caches = Sequence[Any]


def can_merge(caches: Caches) -> bool:
    """Whether the caches know how to form a batch without losing anything."""
    return all(
        hasattr(layer, "merge")
        # mlx-lm's batch of sliding windows forgets which first tokens to keep.
        and not (type(layer) is RotatingKVCache and layer.keep > 0)
        for layer in flatten(caches)
    )


def can_read_together(caches: Caches) -> bool:
    """Whether the caches take prompts of different lengths at once."""
    taking = (KVCache, RotatingKVCache, QuantizedKVCache)
    return all(type(layer) in taking for layer in flatten(caches))


class Batching:
    """Tries a model once, when the first two of its rows could share a batch.

    Some of mlx-lm's models read their cache in ways that only hold for a single row; their
    rows run one beside the other.
    """

    def __init__(self, model: Any, scheme: CacheScheme) -> None:
        self._model = model
        self._scheme = scheme
        self._verdicts: tuple[bool, bool] | None = None

    @property
    def is_safe(self) -> bool:
        """Whether rows may decode in one batch."""
        return self._tried[0]

    @property
    def is_reading_safe(self) -> bool:
        """Whether short prompts may be read at once."""
        return self._tried[1]

    @property
    def _tried(self) -> tuple[bool, bool]:
        if self._verdicts is None:
            caches = self._scheme.make()
            is_safe = can_merge(caches) and _holds(self._decodes_alike)
            is_reading_safe = is_safe and can_read_together(caches) and _holds(self._reads_alike)
            self._verdicts = is_safe, is_reading_safe
        return self._verdicts

    def _decodes_alike(self) -> bool:
        rows = [self._read(prompt[:-1]) for prompt in (_LONG, _SHORT)]
        for caches in rows:
            self._scheme.convert_all(caches)
        merged = [layers[0].merge(list(layers)) for layers in zip(*rows, strict=True)]
        last = mx.array([[_LONG[-1]], [_SHORT[-1]]])
        return self._is_alike(self._model(last, cache=merged), is_quantized=True)

    def _reads_alike(self) -> bool:
        rows = [self._scheme.make() for _ in (_LONG, _SHORT)]
        merged = [layers[0].merge(list(layers)) for layers in zip(*rows, strict=True)]
        widest = len(_LONG) - 1
        padding = [0, widest - len(_SHORT) + 1]
        for layer in merged:
            layer.prepare(lengths=[widest, len(_SHORT) - 1], right_padding=padding)
        padded = [list(_LONG[:-1]), [*_SHORT[:-1], *[0] * padding[1]]]
        self._model(mx.array(padded), cache=merged)
        for layer in merged:
            layer.finalize()
        last = mx.array([[_LONG[-1]], [_SHORT[-1]]])
        return self._is_alike(self._model(last, cache=merged), is_quantized=False)

    def _read(self, prompt: Sequence[int]) -> list[Any]:
        caches = self._scheme.make()
        self._model(mx.array([prompt]), cache=caches)
        return caches

    def _is_alike(self, batched: mx.array, is_quantized: bool) -> bool:
        """Whether a batch's logits are those of both rows alone, stored in the same way."""
        alone: list[mx.array] = []
        for prompt in (_LONG, _SHORT):
            caches = self._read(prompt[:-1])
            if is_quantized:
                self._scheme.convert_all(caches)
            alone.append(self._model(mx.array([[prompt[-1]]]), cache=caches))
        expected = mx.concatenate(alone, axis=0)[:, -1].astype(mx.float32)
        difference = mx.max(mx.abs(batched[:, -1].astype(mx.float32) - expected))
        spread = mx.max(expected) - mx.min(expected)
        return bool((difference <= _TOLERANCE * spread).item())


def _holds(claim: Callable[[], bool]) -> bool:
    """Whether a trial succeeds; one that cannot even be run does not."""
    outcome = attempt(claim)
    return not isinstance(outcome, Caught) and outcome
