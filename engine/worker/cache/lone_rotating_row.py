"""A batch of one quantized sliding window: it can be prefilled until another row joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from engine.worker.cache.array_rows import Triple
from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache


class LoneRotatingRow(BatchRotatingQuantizedKVCache):
    """Starts from the row's own cache, which stays as it is, and takes any number of tokens.

    mlx-lm's BatchGenerator merges before it prefills: with `prefill_batch_size=1` each row is
    prefilled in one of these. It becomes an ordinary batch when another row joins.
    """

    def __init__(self, row: RotatingQuantizedKVCache) -> None:
        super().__init__(row.max_size, [0], keep=row.keep, group_size=row.group_size, bits=row.bits)
        self.row = RotatingQuantizedKVCache.from_state(row.state)
        self.row.rows = self.rows = row.rows and row.rows.shared()

    @property
    def offset(self) -> mx.array:
        """The position of the row's next token: the same array until the row changes."""
        if self._positions is None:
            self._positions = mx.array([self.row.offset], mx.int32)
        return self._positions

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Triple, Triple]:
        """Write new tokens; returns what they may attend to, as triples."""
        fetched = self.row.update_and_fetch(keys, values)
        self.rows = self.row.rows
        self._positions = None
        return fetched

    def keys_and_values(self) -> tuple[Triple, Triple]:
        """The columns in use, in physical order, as triples."""
        return self.row.keys_and_values()

    def filter(self, batch_indices: Sequence[int]) -> None:
        """Keep the row, or none."""
        if list(batch_indices) != [0]:
            self._become_batch()
            self.filter(batch_indices)

    def extend(self, other: BatchRotatingQuantizedKVCache) -> None:
        """Become an ordinary batch, which the other rows join."""
        self._become_batch()
        self.extend(other)

    def extract(self, index: int) -> RotatingQuantizedKVCache:
        """The row as a cache of its own: a true copy."""
        row = self.row
        copied = RotatingQuantizedKVCache(row.max_size, row.keep, row.group_size, row.bits)
        live = row.live_rows()
        if live is not None:
            copied.restore(live.own_memory(), row.offset)
        return copied

    def as_batch(self) -> BatchRotatingQuantizedKVCache:
        """The row in an ordinary batch."""
        return BatchRotatingQuantizedKVCache.merge([self.row])

    @property
    def state(self) -> Any:
        """The row's own state."""
        return self.row.state

    @state.setter
    def state(self, state: Any) -> None:
        adopted = LoneRotatingRow(RotatingQuantizedKVCache.from_state(state))
        self.__dict__.update(adopted.__dict__)

    def size(self) -> int:
        """Tokens held."""
        return self.row.size()

    def make_mask(
        self, tokens: int, window_size: int | None = None, return_array: bool = False
    ) -> Any:
        """The mask of the row's own cache."""
        return self.row.make_mask(tokens, window_size, return_array)

    def _become_batch(self) -> None:
        batch = self.as_batch()
        self.__dict__.clear()
        self.__dict__.update(batch.__dict__)
        self.__class__ = BatchRotatingQuantizedKVCache  # type: ignore[assignment]  # on purpose
