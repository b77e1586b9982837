"""Rows as storage: the same helpers on nested lists and on arrays, plain and quantized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine.worker.cache.array_rows import ArrayRows, PlainRows, QuantizedPair, QuantizedRows
from engine.worker.cache.rotating_state import BatchedRotatingState
from engine.worker.cache.row_storage import (
    Range,
    RowStorage,
    StorageShape,
    merge_rows,
    temporal_view,
)


@dataclass(frozen=True)
class ListRows:
    """One list of column values a row."""

    lists: list[list[int]]
    is_copy: bool = False

    @property
    def shape(self) -> StorageShape:
        return StorageShape(len(self.lists), 1, len(self.lists[0]))

    def cut(self, rows: Range | None = None, tokens: Range | None = None) -> ListRows:
        chosen = self.lists if rows is None else self.lists[slice(*rows)]
        return ListRows([row if tokens is None else row[slice(*tokens)] for row in chosen])

    def concatenate_tokens(self, others: Sequence[ListRows]) -> ListRows:
        every = [self, *others]
        return ListRows(
            [list(chain(*parts)) for parts in zip(*(o.lists for o in every), strict=True)]
        )

    def concatenate_rows(self, others: Sequence[ListRows]) -> ListRows:
        return ListRows([row for storage in [self, *others] for row in storage.lists])

    def pad_left(self, columns: int) -> ListRows:
        return ListRows([[0] * columns + row for row in self.lists])

    def take_rows(self, indices: Sequence[int]) -> ListRows:
        return ListRows([self.lists[index] for index in indices])

    def true_copy(self) -> ListRows:
        return ListRows([list(row) for row in self.lists], is_copy=True)


def plain(lists: list[list[int]]) -> PlainRows:
    """Two heads of 64 features a column, all of the column's value."""
    columns = mx.array(lists, mx.float32)[:, None, :, None]
    return PlainRows(mx.broadcast_to(columns, (len(lists), 2, len(lists[0]), 64)))


def quantized(lists: list[list[int]]) -> QuantizedRows:
    return QuantizedRows.quantize(plain(lists).arrays[0], 64, 4)


def pair(lists: list[list[int]]) -> QuantizedPair:
    array = plain(lists).arrays[0]
    return QuantizedPair.quantize(array, array + 500, 64, 4)


def lists_of(storage: RowStorage) -> Any:
    if isinstance(storage, ListRows):
        return storage.lists
    assert isinstance(storage, ArrayRows)
    if isinstance(storage, PlainRows):
        array = storage.arrays[0]
    else:
        packed, scales, biases = storage.arrays[:3]
        array = mx.dequantize(packed, scales, biases, group_size=64, bits=4)
    return np.array(array)[:, 0, :, 0].astype(int).tolist()


KINDS = pytest.mark.parametrize("make", [ListRows, plain, quantized, pair])


@KINDS
def test_a_ring_is_read_in_time_order(make: Any) -> None:
    state = BatchedRotatingState(4, [0, 0])
    state.restore_merged(4, [4, 4])
    state.begin_write(1)
    state.commit_write(1)
    storage = make([[5, 2, 3, 4], [15, 12, 13, 14]])
    ranges = state.temporal_ranges(4)
    assert lists_of(temporal_view(storage, ranges)) == [[2, 3, 4, 5], [12, 13, 14, 15]]
    assert lists_of(temporal_view(storage, ranges, row=1)) == [[12, 13, 14, 15]]
    clamped = max(0, state.left_padding[1])
    view = temporal_view(storage, ranges, row=1, start=clamped, stop=state.valid_length)
    assert lists_of(view) == [[12, 13, 14, 15]]
    assert lists_of(temporal_view(storage, ranges, row=0, start=1, stop=3)) == [[3, 4]]
    assert lists_of(temporal_view(storage, ranges, start=2, stop=99)) == [[4, 5], [14, 15]]


def test_a_view_is_copied_only_when_asked() -> None:
    storage = ListRows([[1, 2, 3]])
    assert not temporal_view(storage, [(0, 3)]).is_copy
    assert temporal_view(storage, [(0, 3)], is_copied=True).is_copy


@KINDS
def test_rows_are_merged_right_aligned_after_zeros(make: Any) -> None:
    merged = merge_rows([make([[1, 2, 3]]), make([[4, 5]]), make([[6], [7]])])
    assert lists_of(merged) == [[1, 2, 3], [0, 4, 5], [0, 0, 6], [0, 0, 7]]
    assert merged.shape.rows == 4
    assert merged.shape.tokens == 3


@KINDS
def test_rows_are_taken_in_the_order_asked_for(make: Any) -> None:
    storage = make([[1, 2], [3, 4], [5, 6]])
    assert lists_of(storage.take_rows([2, 0])) == [[5, 6], [1, 2]]
    assert lists_of(storage.cut(rows=(1, 3), tokens=(1, 2))) == [[4], [6]]
    assert lists_of(storage.true_copy()) == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("make", [plain, quantized, pair])
def test_arrays_are_padded_rolled_and_written(make: Any) -> None:
    storage = make([[1, 2, 3], [4, 5, 0]])
    assert storage.shape == StorageShape(2, 2, 3)
    assert lists_of(storage.pad(left=1, right=2)) == [[0, 1, 2, 3, 0, 0], [0, 4, 5, 0, 0, 0]]
    assert lists_of(storage.roll_right([0, 1])) == [[1, 2, 3], [0, 4, 5]]
    storage.write(2, make([[8], [9]]))
    storage.write_row(1, 0, make([[7]]))
    assert lists_of(storage) == [[1, 2, 8], [7, 5, 9]]
    assert storage.nbytes == sum(array.nbytes for array in storage.arrays)


def test_padding_is_zero_in_every_array() -> None:
    padded = pair([[1, 2], [3, 4]]).pad_left(2)
    for array in padded.arrays:
        assert not np.array(array)[:, :, :2].any()


def test_each_array_of_a_triple_keeps_its_own_features() -> None:
    keys, values = mx.ones((1, 2, 3, 128)), mx.ones((1, 2, 3, 64))
    storage = QuantizedPair.quantize(keys, values, 64, 8)
    assert [array.shape[-1] for array in storage.arrays] == [32, 2, 2, 16, 1, 1]
    moved = storage.pad_left(1).take_rows([0, 0]).roll_right([0, 1])
    assert [array.shape[-1] for array in moved.arrays] == [32, 2, 2, 16, 1, 1]
    with pytest.raises(ValueError, match="takes 6 arrays"):
        QuantizedPair(keys)
