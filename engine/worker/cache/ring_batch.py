"""Merging, joining and masking of the buffers of batched rings: `keep` sink columns, then the ring.

A row's sink number s is in column s, its other tokens run through the ring.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import mlx.core as mx

from engine.worker.cache.array_rows import QuantizedPair
from engine.worker.cache.errors import CacheError
from engine.worker.cache.quantized_layer import GROWTH_STEP, Quantization, check_alike
from engine.worker.cache.rotating_state import BatchedRotatingState
from engine.worker.cache.row_storage import (
    Range,
    concatenate_rows,
    concatenate_tokens,
    merge_rows,
    temporal_view,
)


class Window(Quantization, Protocol):
    """A quantized sliding window of any number of rows."""

    max_size: int
    keep: int


def check_same_windows(caches: Sequence[Window]) -> None:
    """Raise CacheError unless all have the same window, sinks and quantization."""
    check_alike(caches)
    windows = {(cache.max_size, cache.keep) for cache in caches}
    if len(windows) > 1:
        raise CacheError(
            "Only sliding windows of one size can share a batch; these have (size, kept first) of "
            f"{', '.join(map(str, sorted(windows)))}."
        )


def refuse_many(tokens: int) -> None:
    """Raise CacheError unless it is one token."""
    if tokens != 1:
        raise CacheError(
            f"A batch of quantized sliding windows takes one token a row at a time, not {tokens}: "
            "prefill alone, then merge."
        )


def merge_rings(
    held: Sequence[QuantizedPair | None], keep: int
) -> tuple[QuantizedPair | None, list[int]]:
    """One buffer of rows given in time order, and how many ring columns each of them fills."""
    sample = next((part for part in held if part is not None), None)
    if sample is None:
        return None, [0] * len(held)
    nothing = sample.cut(tokens=(0, 0))
    rows = [nothing if part is None else part for part in held]
    rings = [row.cut(tokens=(min(keep, row.tokens), row.tokens)) for row in rows]
    merged = merge_rows(rings)
    if keep:
        sinks = [row.cut(tokens=(0, min(keep, row.tokens))) for row in rows]
        padded = [sink.pad(right=keep - sink.tokens) for sink in sinks]
        merged = concatenate_tokens([concatenate_rows(padded), merged])
    return merged, [ring.tokens for ring in rings]


def with_room(
    rows: QuantizedPair | None, ring: BatchedRotatingState, keep: int, part: QuantizedPair
) -> QuantizedPair:
    """The buffer, larger if its ring is full and not yet of the window's size."""
    capacity, total = ring.max_size, ring.total_offset
    if rows is None:
        rows = part.cut(tokens=(0, 0)).pad(right=keep + min(GROWTH_STEP, capacity))
    elif total >= rows.tokens - keep and rows.tokens - keep < capacity:
        rows = rows.pad(right=min(GROWTH_STEP, capacity - total))
    else:
        return rows
    ring.mark_grown(total)
    return rows


def in_time_order(rows: QuantizedPair, ring: BatchedRotatingState, keep: int) -> QuantizedPair:
    """All rows with the ring's columns in time order after the sinks."""
    sinks = [(0, keep)] if keep else []
    return temporal_view(rows, [*sinks, *_ring_ranges(rows, ring, keep)])


def row_in_time_order(
    rows: QuantizedPair, ring: BatchedRotatingState, keep: int, index: int
) -> QuantizedPair:
    """A view of what one row holds: its sinks, then its ring without padding."""
    start = max(0, ring.left_padding[index])
    live = temporal_view(
        rows, _ring_ranges(rows, ring, keep), row=index, start=start, stop=ring.valid_length
    )
    if not keep:
        return live
    held = min(keep, ring.offsets[index])
    return concatenate_tokens([rows.cut((index, index + 1), (0, held)), live])


def _ring_ranges(rows: QuantizedPair, ring: BatchedRotatingState, keep: int) -> list[Range]:
    ranges = ring.temporal_ranges(rows.tokens - keep)
    return [(keep + start, keep + stop) for start, stop in ranges]


def join_rings(
    buffers: tuple[QuantizedPair | None, QuantizedPair | None],
    counts: tuple[int, int],
    shifts: tuple[int, int],
    keep: int,
) -> QuantizedPair | None:
    """Both buffers' rows in one, each ring moved right by its shift into its slack."""
    present = [buffer for buffer in buffers if buffer is not None]
    if not present:
        return None
    length = max(buffer.tokens for buffer in present)
    nothing = present[0].cut(rows=(0, 1), tokens=(0, 0))
    aligned = []
    for buffer, count, shift in zip(buffers, counts, shifts, strict=True):
        if buffer is None:
            aligned.append(nothing.take_rows([0] * count).pad(right=length))
            continue
        ring = buffer.cut(tokens=(keep, min(buffer.tokens, length - shift)))
        ring = ring.pad(left=shift, right=length - keep - shift - ring.tokens)
        sinks = [buffer.cut(tokens=(0, keep))] if keep else []
        aligned.append(concatenate_tokens([*sinks, ring]))
    return concatenate_rows(aligned)


def visible_columns(
    ring: BatchedRotatingState, window: int, keep: int, short_rows: Sequence[int]
) -> mx.array:
    """The mask (rows, 1, 1, columns) of the next token of each row, true where visible.

    `short_rows` still fill their sinks: their ring is all padding.
    """
    geometry = ring.mask()
    padding = [
        geometry.columns if row in short_rows else columns
        for row, columns in enumerate(geometry.left_padding)
    ]
    columns = mx.arange(geometry.columns)
    own = columns >= mx.array(padding, mx.int32)[:, None]
    mask = own & (columns > geometry.query - window)
    if geometry.roll:
        mask = mx.roll(mask, geometry.roll, -1)
    if keep:
        sinks = mx.arange(keep) <= mx.array(ring.offsets, mx.int32)[:, None]
        mask = mx.concatenate([sinks, mask], axis=-1)
    return mask[:, None, None, :]
