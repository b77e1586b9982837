"""A small model that drafts for the one that answers."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models import cache as mlx_caches

from engine.worker.drafts.loading import LoadedDraft
from engine.worker.drafts.taking_back import room_to_take_back, take_back

# mlx-lm carries hardly any types.
_make_prompt_cache: Any = mlx_caches.make_prompt_cache
_start: Any = mx.async_eval
_NO_END = 1 << 62


class SecondModel:
    """Drafts for one row at a time, so that there is never more than one cache of it.

    `vocabulary_size` is what the answering model knows; `chunk` how much is read in a step.
    """

    def __init__(self, draft: LoadedDraft, vocabulary_size: int, chunk: int) -> None:
        self.model = draft.model
        self.window = draft.window or _NO_END
        self.vocabulary_size = vocabulary_size
        self.chunk = chunk
        self._run: weakref.ref[SecondRun] | None = None

    def begin(self) -> SecondRun | None:
        """A cache for a row's tokens, freed with its holder; None while another row has it."""
        if self._run is not None and self._run() is not None:
            return None
        run = SecondRun(self)
        self._run = weakref.ref(run)
        return run


class SecondRun:
    """Reads along with one row."""

    def __init__(self, second: SecondModel) -> None:
        self._second = second
        self._caches: list[Any] = _make_prompt_cache(second.model)
        self._held = 0
        self._tried: list[int] = []

    @property
    def caches(self) -> list[Any]:
        """Its layers' caches."""
        return self._caches

    def follow(self, tokens: Sequence[int]) -> bool:
        """Hold what the row holds, at most a chunk more than before; whether that is all but one.

        What was drafted and did not come true is taken back.
        """
        self._settle(tokens)
        if len(tokens) >= self._second.window:
            return False
        missing = tokens[self._held : self._held + self._second.chunk]
        if len(tokens) - self._held > self._second.chunk:
            self._second.model(mx.array([list(missing)]), cache=self._caches)
            mx.eval([layer.state for layer in self._caches])
            mx.clear_cache()
            self._held += len(missing)
        return len(tokens) - self._held <= self._second.chunk

    def draft(self, tokens: Sequence[int], pending: int, count: int) -> list[int]:
        """The likeliest tokens after these and the pending one; fewer where no more fit."""
        unread = [*tokens[self._held :], pending]
        count = min(count, room_to_take_back(self._caches) - len(unread))
        if count < 1:
            return []
        token = self._likeliest(mx.array([unread]))
        drafted = [token]
        for _ in range(count - 1):
            token = self._likeliest(token[None])
            drafted.append(token)
        values: Any = mx.concatenate(drafted).tolist()
        self._held = len(tokens)
        self._tried = [pending, *values[:-1]]
        return list(values)

    def _likeliest(self, inputs: mx.array) -> mx.array:
        logits = self._second.model(inputs, cache=self._caches)
        known = logits[:, -1, : self._second.vocabulary_size]
        token = mx.argmax(known, axis=-1)
        _start(token)
        return token

    def _settle(self, tokens: Sequence[int]) -> None:
        came = tokens[self._held : self._held + len(self._tried)]
        right = 0
        while right < len(came) and came[right] == self._tried[right]:
            right += 1
        take_back(self._caches, len(self._tried) - right)
        self._held += right
        self._tried = []
