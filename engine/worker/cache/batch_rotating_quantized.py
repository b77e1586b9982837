"""Quantized sliding windows, a batch of rows.

The buffer is `keep` columns of sinks followed by the ring. A row's sink number s is in column s;
its other tokens run through the ring with those of the other rows. mlx-lm's BatchRotatingKVCache
has no sink columns and forgets `keep`; without sinks both lay out their columns alike, so that
one mask serves layers of both kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import mlx.core as mx

from engine.worker.cache.array_rows import Triple
from engine.worker.cache.errors import CacheError
from engine.worker.cache.quantized_layer import (
    DEFAULT_BITS,
    DEFAULT_GROUP_SIZE,
    QuantizedLayer,
)
from engine.worker.cache.ring_batch import (
    check_same_windows,
    in_time_order,
    join_rings,
    merge_rings,
    refuse_many,
    row_in_time_order,
    visible_columns,
    with_room,
)
from engine.worker.cache.rotating_quantized import RotatingQuantizedKVCache
from engine.worker.cache.rotating_state import BatchedRotatingState


class BatchRotatingQuantizedKVCache(QuantizedLayer):
    """Rows that decode together, one token each a step; they join and leave between steps.

    Never trimmable. Arrays it hands out (`offset`) are never changed afterwards.
    """

    def __init__(
        self,
        max_size: int,
        left_padding: Sequence[int],
        *,
        keep: int = 0,
        group_size: int = DEFAULT_GROUP_SIZE,
        bits: int = DEFAULT_BITS,
    ) -> None:
        super().__init__(group_size, bits)
        self.max_size = max_size
        self.keep = keep
        self.ring = BatchedRotatingState(max_size - keep, list(left_padding))
        self._positions: mx.array | None = None

    @classmethod
    def merge(cls, caches: Sequence[RotatingQuantizedKVCache]) -> Self:
        """One batch of these rows, empty ones included; raises CacheError on unequal windows."""
        first = caches[0]
        check_same_windows(caches)
        rows, widths = merge_rings([cache.live_rows() for cache in caches], first.keep)
        width = max(widths)
        batch = cls(
            first.max_size,
            [width - own for own in widths],
            keep=first.keep,
            group_size=first.group_size,
            bits=first.bits,
        )
        batch.ring.restore_merged(width, [cache.offset for cache in caches])
        batch.rows = rows
        return batch

    @classmethod
    def from_plain(cls, cache: Any, group_size: int, bits: int) -> Self:
        """Quantize mlx-lm's BatchRotatingKVCache between two steps, its ring as it is.

        So rows can be prefilled together in plain caches. Columns beyond the window are dropped.
        """
        batch = cls(cache.max_size, cache.left_padding.tolist(), group_size=group_size, bits=bits)
        batch.ring.offsets = cache.offset.tolist()
        batch.ring.ring_index = cache._idx
        batch.ring.total_offset = cache._offset
        batch.ring.is_rotated = cache.rotated
        if cache.keys is not None:
            overshoot = max(0, cache.keys.shape[2] - cache.max_size)
            batch.ring.trim_overshoot(overshoot)
            batch.rows = batch.quantize(
                cache.keys[..., overshoot:, :], cache.values[..., overshoot:, :]
            )
        return batch

    @property
    def offset(self) -> mx.array:
        """The position of each row's next token: the same array until the rows change."""
        if self._positions is None:
            self._positions = mx.array(self.ring.offsets, mx.int32)
        return self._positions

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Triple, Triple]:
        """Write one token a row; returns the columns in use as triples.

        Raises CacheError for more than one token a row, before anything is changed.
        """
        refuse_many(keys.shape[2])
        part = self.quantize(keys, values)
        self.rows = rows = with_room(self.rows, self.ring, self.keep, part)
        column = self.keep + self.ring.begin_write(1)
        rows.write(column, part)
        for row in self._rows_short_of_sinks():
            rows.write_row(row, self.ring.offsets[row], part.cut(rows=(row, row + 1)))
            self.ring.hold_back(row)
        self.ring.commit_write(1)
        self._positions = None
        return self.keys_and_values()

    def keys_and_values(self) -> tuple[Triple, Triple]:
        """The columns in use, in physical order, as triples."""
        if self.rows is None:
            raise CacheError("A cache that holds no token has no keys and values yet.")
        used = self.rows.cut(tokens=(0, self.keep + self.ring.valid_length))
        return used.keys, used.values

    def prepare(
        self,
        *,
        left_padding: Sequence[int] | None = None,
        lengths: Sequence[int] | None = None,
        right_padding: Sequence[int] | None = None,
    ) -> None:
        """Refuse the padding of a joint prefill with CacheError."""
        if any((*(left_padding or ()), *(right_padding or ()))):
            refuse_many(max((2, *(lengths or ()))))

    def finalize(self) -> None:
        """Nothing to do: rows are never prefilled together."""

    def filter(self, batch_indices: Sequence[int]) -> None:
        """Keep these rows, in this order."""
        kept = list(batch_indices)
        is_unchanged = kept == list(range(self.ring.batch_size))
        self._positions = None
        if not kept:
            self.ring, self.rows = BatchedRotatingState(self.ring.max_size, []), None
            return
        self.ring.filter(kept)
        if self.rows is not None and not is_unchanged:
            self.rows = self.rows.take_rows(kept)

    def extend(self, other: BatchRotatingQuantizedKVCache) -> None:
        """Let another batch's rows join, both in time order and right-aligned."""
        check_same_windows((self, other))
        joined = other.as_batch()
        if not self.ring.is_aligned_with(joined.ring):
            joined = BatchRotatingQuantizedKVCache.from_state(joined.state)
            self._unroll()
            joined._unroll()
        self._positions = None
        counts = self.ring.batch_size, joined.ring.batch_size
        shifts = self.ring.extend(joined.ring)
        self.rows = join_rings((self.rows, joined.rows), counts, shifts, self.keep)

    def extract(self, index: int) -> RotatingQuantizedKVCache:
        """One row as a cache of its own: a true copy that lets go of the batch."""
        row = RotatingQuantizedKVCache(self.max_size, self.keep, self.group_size, self.bits)
        offset = self.ring.offsets[index]
        if self.rows is None or offset <= 0:
            return row
        live = row_in_time_order(self.rows, self.ring, self.keep, index)
        row.restore(live.own_memory(), offset)
        return row

    def as_batch(self) -> BatchRotatingQuantizedKVCache:
        """The rows as an ordinary batch."""
        return self

    @property
    def state(self) -> Any:
        """Keys, values, window, keep, and the ring's book-keeping; group size and bits last."""
        ring = self.ring
        rows = list(ring.left_padding), list(ring.offsets)
        counters = ring.ring_index, ring.total_offset, ring.is_rotated
        window = self.max_size, self.keep
        return self.keys, self.values, *window, *rows, *counters, self.group_size, self.bits

    @state.setter
    def state(self, state: Any) -> None:
        keys, values, self.max_size, self.keep, padding, offsets, *numbers, group, bits = state
        self._restore(keys, values, (group, bits))
        self.ring = BatchedRotatingState(self.max_size - self.keep, padding, offsets, *numbers)
        self._positions = None

    def is_trimmable(self) -> bool:
        """Never: a row that leaves is extracted first."""
        return False

    def trim(self, tokens: int) -> int:
        """Always raises CacheError."""
        raise CacheError("A batch of quantized sliding windows cannot be taken back: extract rows.")

    def size(self) -> int:
        """Columns in use, sinks included; 0 while nothing was written."""
        return 0 if self.rows is None else self.keep + self.ring.valid_length

    def make_mask(
        self, tokens: int, window_size: int | None = None, return_array: bool = False
    ) -> Any:
        """Which columns the next token of each row sees: (rows, 1, 1, columns).

        Raises CacheError for more than one token, before any layer has been written.
        """
        refuse_many(tokens)
        window = min(window_size or self.max_size, self.ring.max_size)
        return visible_columns(self.ring, window, self.keep, self._rows_short_of_sinks())

    def _unroll(self) -> None:
        if self.rows is not None and self.ring.is_rotated:
            self.rows = in_time_order(self.rows, self.ring, self.keep)
            self.ring.mark_unrolled(self.rows.tokens - self.keep)

    def _rows_short_of_sinks(self) -> list[int]:
        if not self.keep:
            return []
        return [row for row, offset in enumerate(self.ring.offsets) if 0 <= offset < self.keep]
