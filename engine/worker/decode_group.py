"""Rows that decode in one batch, a token each a step, on mlx-lm's GenerationBatch.

A row that is alone keeps the caches it was prefilled with: it is never copied, neither when it
begins nor when it leaves. Only when another row joins are the caches merged.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

import mlx.core as mx
from mlx_lm.generate import GenerationBatch, StopSequences
from mlx_lm.sample_utils import greedy_sampler

from engine.worker.cache.detached import detach, extract_row
from engine.worker.cache_scheme import CacheScheme
from engine.worker.grouping import Extent
from engine.worker.prefilled import Prefilled, merged
from engine.worker.row import Row
from engine.worker.row_results import Decoded, Left

# mlx-lm carries hardly any types. Where a row ends is decided by the row.
_Batch: Any = GenerationBatch
_StopSequences: Any = StopSequences
_NO_END = 1 << 62
_CHECKS: Any = mx.new_thread_local_stream(mx.default_device())
"""For looking at a step's output: on the batch's stream that would wait for the next step."""


class DecodeTools(Protocol):
    """What a group works with."""

    @property
    def model(self) -> Any:
        """The model."""

    @property
    def scheme(self) -> CacheScheme:
        """How its caches are kept."""


class DecodeGroup:
    """Starts with rows whose prompts are read; their first step begins at once."""

    def __init__(self, tools: DecodeTools, prefilled: Sequence[Prefilled]) -> None:
        self._scheme = tools.scheme
        parts = sorted(prefilled, key=lambda part: part.is_batch)
        self.rows: list[Row] = [row for part in parts for row in part.rows]
        self._is_batch = len(self.rows) > 1 or parts[0].is_batch
        if len(parts) > 1:
            for part in parts:
                self._scheme.convert_all(part.caches)
        caches = merged(parts) if self._is_batch else parts[0].caches
        for part in parts:
            part.caches = []
        self._batch = _Batch(
            tools.model,
            [row.id for row in self.rows],
            mx.array([row.prompt[-1] for row in self.rows]),
            caches,
            [list(row.prompt[:-1]) for row in self.rows],
            [row.sampler for row in self.rows],
            greedy_sampler,
            [list(row.processors) for row in self.rows],
            [_StopSequences()] * len(self.rows),
            [_NO_END] * len(self.rows),
        )

    @property
    def caches(self) -> list[Any]:
        """The layers' caches."""
        return list(self._batch.prompt_cache)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows, padding included."""
        return sum(layer.nbytes for layer in self._batch.prompt_cache)

    @property
    def extent(self) -> Extent:
        """Its size, for the choice which groups to join."""
        return Extent(
            len(self.rows),
            max(row.tokens_held for row in self.rows),
            max(row.granted_bytes for row in self.rows),
        )

    def step(self) -> list[Decoded]:
        """The next token of every row. When it raises the group is lost."""
        self._scheme.convert_due(self._batch.prompt_cache)
        self._promise_inputs()
        responses = self._batch.next()
        sound = self._soundness(responses)
        return [
            Decoded(row, int(response.token), is_sound)
            for row, response, is_sound in zip(self.rows, responses, sound, strict=True)
        ]

    def _promise_inputs(self) -> None:
        """Let constrained rows wait for their token alone, not for all that was begun since."""
        for index, row in enumerate(self.rows):
            if row.constraint is not None:
                row.constraint.promise(self._batch._next_tokens, index)

    def absorb(self, other: DecodeGroup) -> None:
        """Take over another group's rows."""
        for group in (self, other):
            self._scheme.convert_all(group._batch.prompt_cache)
            group._become_batch()
        self._batch.extend(other._batch)
        self.rows += other.rows
        other.rows = []

    def extract(self, row: Row) -> Left:
        """The row's tokens and a cache of its own; the row is still to be removed."""
        index = self.rows.index(row)
        tokens = list(self._batch.tokens[index])
        if self._is_batch:
            return Left(tokens, extract_row(self._batch.prompt_cache, index))
        cache = self.caches
        detach(cache)
        return Left(tokens, cache)

    def remove(self, rows: Collection[Row]) -> None:
        """Let rows go."""
        keep = [index for index, row in enumerate(self.rows) if row not in rows]
        if len(keep) == len(self.rows):
            return
        self._batch.filter(keep)
        self.rows = [self.rows[index] for index in keep]

    def _become_batch(self) -> None:
        if not self._is_batch:
            self._batch.prompt_cache = [layer.merge([layer]) for layer in self._batch.prompt_cache]
            self._is_batch = True

    def _soundness(self, responses: Sequence[Any]) -> list[bool]:
        with mx.stream(_CHECKS):
            logprobs = mx.stack([response.logprobs for response in responses])
            return soundness(logprobs, mx.array([response.token for response in responses]))


def soundness(logprobs: mx.array, tokens: mx.array) -> list[bool]:
    """Whether each row's token was drawn from usable numbers."""
    chosen = mx.take_along_axis(logprobs, tokens[:, None], axis=1)[:, 0]
    spread = mx.max(logprobs, axis=1) - mx.min(logprobs, axis=1)
    sound: Any = (mx.isfinite(chosen) & (spread != 0)).tolist()
    return [bool(each) for each in sound]
