"""Quantized sliding window, one row; `batch_rotating_quantized` holds many.

Columns, indices and trimming are those of mlx-lm's RotatingKVCache, so that a cache converted at
any moment holds exactly the quantized bytes of the plain one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import mlx.core as mx
from mlx_lm.models.base import create_causal_mask

from engine.worker.cache.array_rows import QuantizedPair, Triple
from engine.worker.cache.errors import CacheError
from engine.worker.cache.quantized_layer import (
    DEFAULT_BITS,
    DEFAULT_GROUP_SIZE,
    GROWTH_STEP,
    QuantizedLayer,
)
from engine.worker.cache.row_storage import concatenate_tokens, temporal_view

if TYPE_CHECKING:
    from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache


class RotatingQuantizedKVCache(QuantizedLayer):
    """The first `keep` tokens (attention sinks) and the last ones, `max_size` in all."""

    def __init__(
        self,
        max_size: int,
        keep: int = 0,
        group_size: int = DEFAULT_GROUP_SIZE,
        bits: int = DEFAULT_BITS,
    ) -> None:
        super().__init__(group_size, bits)
        if not 0 <= keep < max_size:
            raise CacheError(
                f"A window of {max_size} tokens cannot keep its first {keep} for ever."
            )
        self.max_size = max_size
        self.keep = keep
        self.offset = 0
        self.ring_index = 0

    @classmethod
    def from_plain(cls, cache: Any, group_size: int, bits: int) -> Self:
        """Quantize mlx-lm's RotatingKVCache with its layout, offset, index and sinks."""
        quantized = cls(cache.max_size, cache.keep, group_size, bits)
        quantized.offset = cache.offset
        quantized.ring_index = cache._idx
        if cache.keys is not None:
            quantized.rows = quantized.quantize(cache.keys, cache.values)
        return quantized

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Triple, Triple]:
        """Write new tokens; returns what they may attend to, as triples.

        One token goes into the ring. Several are appended in time order, and everything stays
        that the first of them sees: the buffer may then exceed the window until the next write.
        """
        part = self.quantize(keys, values)
        if part.tokens == 1:
            self._write_in_ring(part)
        else:
            self._append_in_time_order(part)
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Triple, Triple]:
        """The columns in use, in physical order, as triples."""
        if self.rows is None:
            raise CacheError("A cache that holds no token has no keys and values yet.")
        rows = self.rows
        if self.offset < rows.tokens:
            rows = rows.cut(tokens=(0, self.offset))
        return rows.keys, rows.values

    def live_rows(self) -> QuantizedPair | None:
        """The tokens held, in time order, `size()` of them; None when there is none."""
        if self.rows is None or not self.offset:
            return None
        return self._without_oldest(self._in_time_order(self.rows), self.max_size)

    def restore(self, rows: QuantizedPair, offset: int) -> None:
        """Hold these live rows in time order, the last of them at position `offset` - 1."""
        self.rows, self.offset, self.ring_index = rows, offset, rows.tokens

    def _append_in_time_order(self, part: QuantizedPair) -> None:
        if self.rows is None:
            self.rows = part
        else:
            held = self._without_oldest(self._in_time_order(self.rows), self.max_size - 1)
            self.rows = held.concatenate_tokens([part])
        self.offset += part.tokens
        self.ring_index = self.rows.tokens

    def _write_in_ring(self, part: QuantizedPair) -> None:
        rows = self.rows
        if rows is None:
            rows = part.pad(right=min(GROWTH_STEP, self.max_size) - 1)
            self.ring_index = 0
        elif rows.tokens < self.max_size and self.offset >= rows.tokens:
            rows = rows.pad(right=min(GROWTH_STEP, self.max_size - self.offset))
            self.ring_index = self.offset
        elif rows.tokens > self.max_size:
            rows = self._without_oldest(rows, self.max_size)
            self.ring_index = self.max_size
        if self.ring_index == self.max_size:
            self.ring_index = self.keep
        rows.write(self.ring_index, part)
        self.rows = rows
        self.offset += 1
        self.ring_index += 1

    def _in_time_order(self, rows: QuantizedPair) -> QuantizedPair:
        if self.ring_index == rows.tokens:
            return rows
        if self.ring_index >= self.offset:
            return rows.cut(tokens=(0, self.ring_index))
        ring = [(self.ring_index, rows.tokens), (self.keep, self.ring_index)]
        return temporal_view(rows, [(0, self.keep), *ring])

    def _without_oldest(self, ordered: QuantizedPair, size: int) -> QuantizedPair:
        surplus = ordered.tokens - size
        if surplus <= 0:
            return ordered
        newest = ordered.cut(tokens=(self.keep + surplus, ordered.tokens))
        if not self.keep:
            return newest
        return concatenate_tokens([ordered.cut(tokens=(0, self.keep)), newest])

    @property
    def state(self) -> Any:
        """Keys, values, offset, keep, window, ring index, group size, bits."""
        counters = self.offset, self.keep, self.max_size, self.ring_index
        return self.keys, self.values, *counters, self.group_size, self.bits

    @state.setter
    def state(self, state: Any) -> None:
        keys, values, self.offset, self.keep, self.max_size, self.ring_index, *scheme = state
        self._restore(keys, values, (scheme[0], scheme[1]))

    def is_trimmable(self) -> bool:
        """Only while nothing was overwritten."""
        return self.offset < self.max_size

    def trim(self, tokens: int) -> int:
        """Forget the last tokens; returns how many. Raises CacheError once tokens were dropped."""
        if not self.is_trimmable():
            raise CacheError(
                f"A sliding window of {self.max_size} tokens that has moved on cannot be taken "
                "back: the tokens before it are gone. Start again from an earlier checkpoint."
            )
        amount = min(self.offset, tokens)
        self.offset -= amount
        self.ring_index -= amount
        return amount

    def size(self) -> int:
        """Tokens held."""
        return min(self.offset, self.max_size)

    def make_mask(
        self, tokens: int, window_size: int | None = None, return_array: bool = False
    ) -> Any:
        """Which columns the next tokens see: none (all), "causal" or a boolean array.

        Sinks stay visible to every token of a long chunk; mlx-lm's own mask hides them.
        """
        window = min(window_size or self.max_size, self.max_size)
        if tokens == 1:
            return self._mask_in_ring(window)
        offset = min(self.max_size - 1, self.offset)
        if offset + tokens <= window and not return_array:
            return "causal"
        window = min(window, self.max_size - self.keep) if self.keep else window
        mask: mx.array = create_causal_mask(tokens, offset, window_size=window)
        if self.keep:
            mask = mask | (create_causal_mask(tokens, offset) & self._sink_columns(mask.shape[-1]))
        return mask

    def _mask_in_ring(self, window: int) -> mx.array | None:
        if window >= self.max_size or self.offset < max(window, self.keep):
            return None
        slot = self.keep if self.ring_index >= self.max_size else self.ring_index
        ring = min(self.offset + 1, self.max_size) - self.keep
        mask = mx.roll(mx.arange(ring) >= ring - window, slot - self.keep + 1)
        return mx.concatenate([mx.ones(self.keep, mx.bool_), mask]) if self.keep else mask

    def _sink_columns(self, columns: int) -> mx.array:
        return mx.arange(columns)[None] < self.keep

    @classmethod
    def merge(cls, caches: Sequence[RotatingQuantizedKVCache]) -> BatchRotatingQuantizedKVCache:
        """One batch of these rows. A single row can still be prefilled until another joins."""
        from engine.worker.cache.batch_rotating_quantized import BatchRotatingQuantizedKVCache
        from engine.worker.cache.lone_rotating_row import LoneRotatingRow

        if len(caches) == 1:
            return LoneRotatingRow(caches[0])
        return BatchRotatingQuantizedKVCache.merge(caches)
