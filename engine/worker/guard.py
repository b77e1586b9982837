"""Keeps what a logits processor raises away from the batch.

An exception inside a step would come after every row's KV was written: mlx-lm would then feed
the same token twice to innocent rows.
"""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx

from engine.serving.containment import Caught, attempt

Processor = Callable[[mx.array, mx.array], mx.array]
"""Takes the tokens so far and one row's logits; returns logits of the same shape."""


class GuardedProcessor:
    """Lets the logits through unchanged once its processor has failed."""

    def __init__(self, processor: Processor) -> None:
        self._processor = processor
        self._failure: Exception | None = None

    def __call__(self, tokens: mx.array, logits: mx.array) -> mx.array:
        if self._failure is not None:
            return logits
        processed = attempt(lambda: self._checked(tokens, logits))
        if isinstance(processed, Caught):
            self._failure = processed.error
            return logits
        return processed

    def raise_if_it_failed(self) -> None:
        """Raise in the row's own time what the processor raised."""
        if self._failure is not None:
            raise self._failure

    def _checked(self, tokens: mx.array, logits: mx.array) -> mx.array:
        processed = self._processor(tokens, logits)
        if processed.shape != logits.shape:
            raise ValueError(f"A processor made {processed.shape} of {logits.shape} logits.")
        return processed
