"""Quantized full attention, a batch of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import mlx.core as mx
from mlx_lm.models.base import create_causal_mask

from engine.worker.cache.array_rows import QuantizedPair, Triple
from engine.worker.cache.errors import CacheError
from engine.worker.cache.padded_state import PaddedState
from engine.worker.cache.quantized import QuantizedKVCache
from engine.worker.cache.quantized_layer import (
    DEFAULT_BITS,
    DEFAULT_GROUP_SIZE,
    QuantizedLayer,
    append,
    check_alike,
)
from engine.worker.cache.row_storage import concatenate_rows, merge_rows


class BatchQuantizedKVCache(QuantizedLayer):
    """Full attention, left-padded rows that join and leave between steps.

    Columns and paddings are those of mlx-lm's BatchKVCache, so that one mask serves layers of
    both kinds. Arrays it hands out (`offset`, `left_padding`) are never changed afterwards.
    """

    def __init__(
        self,
        left_padding: Sequence[int],
        group_size: int = DEFAULT_GROUP_SIZE,
        bits: int = DEFAULT_BITS,
    ) -> None:
        super().__init__(group_size, bits)
        self.padded = PaddedState(list(left_padding))
        self._positions: mx.array | None = None

    @classmethod
    def merge(cls, caches: Sequence[QuantizedKVCache]) -> Self:
        """One batch of these rows, empty ones included; raises CacheError on unequal schemes."""
        check_alike(caches)
        width = max(cache.offset for cache in caches)
        batch = cls(
            [width - cache.offset for cache in caches], caches[0].group_size, caches[0].bits
        )
        batch.padded.width = width
        parts = [cache.live_rows() for cache in caches]
        sample = next((part for part in parts if part is not None), None)
        if sample is not None:
            nothing = sample.cut(tokens=(0, 0))
            batch.rows = merge_rows([nothing if part is None else part for part in parts])
        return batch

    @classmethod
    def from_plain(cls, cache: Any, group_size: int, bits: int) -> Self:
        """Quantize mlx-lm's BatchKVCache between two steps, columns and paddings as they are."""
        batch = cls(cache.left_padding.tolist(), group_size, bits)
        batch.padded.width = cache._idx
        if cache.keys is not None and cache._idx:
            batch.rows = append(None, 0, batch.quantize(*cache.keys_and_values()))
        return batch

    @property
    def offset(self) -> mx.array:
        """The position of each row's next token: the same array until the rows change."""
        if self._positions is None:
            self._positions = mx.array(self.padded.offsets, mx.int32)
        return self._positions

    @property
    def left_padding(self) -> mx.array:
        """Columns before each row's first token."""
        return mx.array(self.padded.left_padding, mx.int32)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Triple, Triple]:
        """Append as many tokens to every row; returns all columns as triples."""
        part = self.quantize(keys, values)
        self.rows = append(self.rows, self.padded.width, part)
        self.padded.width += part.tokens
        self._positions = None
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Triple, Triple]:
        """All columns in use, padding included, as triples."""
        if self.rows is None:
            raise CacheError("A cache that holds no token has no keys and values yet.")
        used = self.rows.cut(tokens=(0, self.padded.width))
        return used.keys, used.values

    def prepare(
        self,
        *,
        left_padding: Sequence[int] | None = None,
        lengths: Sequence[int] | None = None,
        right_padding: Sequence[int] | None = None,
    ) -> None:
        """Announce how the next tokens are padded; right padding is moved left by `finalize`."""
        if left_padding is not None:
            if self.rows is not None:
                raise CacheError("Only an empty batch of cache rows can be padded on the left.")
            self.padded.add_left_padding(left_padding)
            self._positions = None
        if right_padding is not None and max(right_padding) > 0:
            self.padded.right_padding = list(right_padding)

    def finalize(self) -> None:
        """Move the announced right padding to the left of each row."""
        if not self.padded.right_padding:
            return
        shifts = self.padded.move_right_padding_left()
        if self.rows is not None:
            slack = self.rows.tokens - self.padded.width
            used = self.rows.cut(tokens=(0, self.padded.width))
            self.rows = used.roll_right(shifts).pad(right=slack)
        self._positions = None

    def filter(self, batch_indices: Sequence[int]) -> None:
        """Keep these rows, in this order, and drop the padding common to all of them."""
        kept = list(batch_indices)
        is_unchanged = kept == list(range(len(self.padded.left_padding)))
        surplus = self.padded.filter(kept)
        self._positions = None
        if self.rows is None or (is_unchanged and not surplus):
            return
        if not kept or not self.padded.width:
            self.rows = None
            return
        self.rows = self.rows.cut(tokens=(surplus, self.rows.tokens)).take_rows(kept)

    def extend(self, other: BatchQuantizedKVCache) -> None:
        """Let another batch's rows join, right-aligned with one's own."""
        check_alike((self, other))
        counts = len(self.padded.left_padding), len(other.padded.left_padding)
        parts = self._used_rows(), other._used_rows()
        shifts = self.padded.extend(other.padded)
        self._positions = None
        sample = next((part for part in parts if part is not None), None)
        if sample is None:
            return
        nothing = sample.cut(rows=(0, 1), tokens=(0, 0))
        aligned = [
            (nothing.take_rows([0] * count) if part is None else part).pad_left(shift)
            for part, count, shift in zip(parts, counts, shifts, strict=True)
        ]
        slack = max(rows.tokens for rows in (self.rows, other.rows) if rows is not None)
        joined = concatenate_rows(aligned)
        self.rows = joined.pad(right=max(0, slack - self.padded.width))

    def _used_rows(self) -> QuantizedPair | None:
        return None if self.rows is None else self.rows.cut(tokens=(0, self.padded.width))

    def extract(self, index: int) -> QuantizedKVCache:
        """One row as a cache of its own: a true copy that lets go of the batch."""
        row = QuantizedKVCache(self.group_size, self.bits)
        start, stop = self.padded.left_padding[index], self.padded.width
        if self.rows is None or start >= stop:
            return row
        row.rows = self.rows.cut((index, index + 1), (start, stop)).own_memory()
        row.offset = stop - start
        return row

    @property
    def state(self) -> Any:
        """Keys, values, paddings, width, group size, bits."""
        padded = self.padded
        return (
            self.keys,
            self.values,
            list(padded.left_padding),
            padded.width,
            self.group_size,
            self.bits,
        )

    @state.setter
    def state(self, state: Any) -> None:
        keys, values, left_padding, width, *scheme = state
        self._restore(keys, values, (scheme[0], scheme[1]))
        self.padded = PaddedState(list(left_padding), width)
        self._positions = None

    def is_trimmable(self) -> bool:
        """Always."""
        return True

    def trim(self, tokens: int) -> int:
        """Forget the last tokens of every row, at most what the shortest row has."""
        amount = self.padded.trim(tokens)
        self._positions = None
        return amount

    def size(self) -> int:
        """Columns in use."""
        return self.padded.width

    def make_mask(
        self, tokens: int, return_array: bool = False, window_size: int | None = None
    ) -> mx.array:
        """Which columns the next tokens see: (rows, 1, tokens, columns), true where visible."""
        mask: mx.array = create_causal_mask(
            tokens,
            offset=self.padded.width,
            window_size=window_size,
            left_padding=self.left_padding,
        )
        return mask
