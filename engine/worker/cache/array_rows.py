"""Rows of tokens in arrays of shape (rows, heads, tokens, features): plain and quantized.

Quantization groups run along the features, never along the tokens, so that every operation on
rows and tokens is the same one for each array and keeps every token's bytes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import mlx.core as mx

from engine.worker.cache.row_storage import Range, StorageShape

Triple = tuple[mx.array, mx.array, mx.array]

# MLX's stub leaves this one untyped.
_start_evaluation: Any = mx.async_eval


class ArrayRows:
    """A fixed number of arrays that share rows, heads and tokens. A `RowStorage`."""

    PARTS: ClassVar[int]

    def __init__(self, *arrays: mx.array) -> None:
        if len(arrays) != self.PARTS:
            raise ValueError(f"{type(self).__name__} takes {self.PARTS} arrays, not {len(arrays)}.")
        self.arrays = arrays

    @property
    def shape(self) -> StorageShape:
        """Rows, heads and token columns."""
        rows, heads, tokens, _ = self.arrays[0].shape
        return StorageShape(rows, heads, tokens)

    @property
    def tokens(self) -> int:
        """Token columns, live or not."""
        return self.arrays[0].shape[2]

    @property
    def nbytes(self) -> int:
        """Bytes of all parts."""
        return sum(array.nbytes for array in self.arrays)

    def cut(self, rows: Range | None = None, tokens: Range | None = None) -> Self:
        """A range of rows and of token columns, as a view."""
        row_slice = slice(None) if rows is None else slice(*rows)
        token_slice = slice(None) if tokens is None else slice(*tokens)
        return self._map(lambda array: array[row_slice, :, token_slice])

    def concatenate_tokens(self, others: Sequence[Self]) -> Self:
        """The others' columns after one's own."""
        return self._join(others, axis=2)

    def concatenate_rows(self, others: Sequence[Self]) -> Self:
        """The others' rows after one's own."""
        return self._join(others, axis=0)

    def pad(self, left: int = 0, right: int = 0) -> Self:
        """With so many zero columns before the first and after the last."""
        if left == right == 0:
            return self
        widths = [(0, 0), (0, 0), (left, right), (0, 0)]
        return self._map(lambda array: mx.pad(array, widths))

    def pad_left(self, columns: int) -> Self:
        """With so many zero columns before the first."""
        return self.pad(left=columns)

    def take_rows(self, indices: Sequence[int]) -> Self:
        """These rows, in this order, in memory of their own."""
        rows = mx.array(list(indices), mx.int32)
        return self._map(lambda array: mx.take(array, rows, axis=0))

    def roll_right(self, shifts: Sequence[int]) -> Self:
        """Each row's columns moved right by its shift; what leaves at the end enters in front."""
        tokens = self.tokens
        columns = (mx.arange(tokens)[None] - mx.array(list(shifts))[:, None]) % tokens
        index = columns[:, None, :, None]
        return self._map(lambda array: mx.take_along_axis(array, index, axis=2))

    def true_copy(self) -> Self:
        """The same bytes in memory of their own, once evaluated.

        `mx.contiguous` would share the memory of a view that is contiguous already.
        """
        return self._map(mx.array)

    def shared(self) -> Self:
        """The same bytes: a later write to either side leaves the other as it is.

        Nothing is copied unless both are still held when one of them is written to.
        """
        return self._map(copy.copy)

    def own_memory(self) -> Self:
        """A true copy whose computation is under way: nothing else holds the source's memory."""
        copied = self.true_copy()
        _start_evaluation(*copied.arrays)
        return copied

    def write(self, column: int, part: Self) -> None:
        """Overwrite columns from `column` on in place."""
        stop = column + part.tokens
        for array, new in zip(self.arrays, part.arrays, strict=True):
            array[..., column:stop, :] = new

    def write_row(self, row: int, column: int, part: Self) -> None:
        """Overwrite columns of one row in place with the first row of `part`."""
        stop = column + part.tokens
        for array, new in zip(self.arrays, part.arrays, strict=True):
            array[row : row + 1, :, column:stop] = new[:1]

    def _join(self, others: Sequence[Self], axis: int) -> Self:
        every = [self, *others]
        return type(self)(
            *(
                mx.concatenate([storage.arrays[index] for storage in every], axis=axis)
                for index in range(self.PARTS)
            )
        )

    def _map(self, change: Callable[[mx.array], mx.array]) -> Self:
        return type(self)(*(change(array) for array in self.arrays))


class PlainRows(ArrayRows):
    """One array."""

    PARTS = 1


class QuantizedRows(ArrayRows):
    """Packed values, scales and biases."""

    PARTS = 3

    @classmethod
    def quantize(cls, array: mx.array, group_size: int, bits: int) -> Self:
        """Quantize along the features."""
        return cls(*mx.quantize(array, group_size=group_size, bits=bits))


class QuantizedPair(ArrayRows):
    """Keys and values of one layer, each packed with scales and biases."""

    PARTS = 6

    @classmethod
    def quantize(cls, keys: mx.array, values: mx.array, group_size: int, bits: int) -> Self:
        """Quantize both along the features, each to its own number of groups."""
        return cls(
            *mx.quantize(keys, group_size=group_size, bits=bits),
            *mx.quantize(values, group_size=group_size, bits=bits),
        )

    @property
    def keys(self) -> Triple:
        """Packed values, scales and biases of the keys."""
        return self.arrays[0], self.arrays[1], self.arrays[2]

    @property
    def values(self) -> Triple:
        """Packed values, scales and biases of the values."""
        return self.arrays[3], self.arrays[4], self.arrays[5]
