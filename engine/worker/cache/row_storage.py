"""Rows of tokens as storage of any kind: what can be asked of them, merging, time order.

No tensor library: the same functions run on nested lists in tests and on arrays in the worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StorageShape:
    """Rows of a batch, attention heads, token columns."""

    rows: int
    heads: int
    tokens: int


class RowStorage(Protocol):
    """Immutable but for its owner's writes; every method returns new storage.

    Only `true_copy` promises not to keep the memory of what it was made from.
    """

    @property
    def shape(self) -> StorageShape:
        """The size along the axes every part shares."""

    def cut(self, rows: Range | None = None, tokens: Range | None = None) -> Self:
        """A range of rows and of token columns; all of them by default."""

    def concatenate_tokens(self, others: Sequence[Self]) -> Self:
        """The others' columns after one's own."""

    def concatenate_rows(self, others: Sequence[Self]) -> Self:
        """The others' rows after one's own."""

    def pad_left(self, columns: int) -> Self:
        """With so many zero columns before the first."""

    def take_rows(self, indices: Sequence[int]) -> Self:
        """These rows, in this order."""

    def true_copy(self) -> Self:
        """The same bytes in memory of their own."""


Storage = TypeVar("Storage", bound=RowStorage)


def concatenate_tokens(parts: Sequence[Storage]) -> Storage:
    """All parts side by side; at least one."""
    return parts[0] if len(parts) == 1 else parts[0].concatenate_tokens(parts[1:])


def concatenate_rows(parts: Sequence[Storage]) -> Storage:
    """All parts below one another; at least one, of the same width."""
    return parts[0] if len(parts) == 1 else parts[0].concatenate_rows(parts[1:])


def merge_rows(parts: Sequence[Storage]) -> Storage:
    """One batch of rows of any width, right-aligned, with zeros before the shorter ones."""
    width = max(part.shape.tokens for part in parts)
    return concatenate_rows([part.pad_left(width - part.shape.tokens) for part in parts])


def temporal_view(
    storage: Storage,
    ranges: Sequence[Range],
    *,
    row: int | None = None,
    start: int = 0,
    stop: int | None = None,
    is_copied: bool = False,
) -> Storage:
    """The columns of physical `ranges` one after the other, cut to [start, stop).

    Of one row only, if given. A view of the storage's memory unless `is_copied`.
    """
    rows = None if row is None else (row, row + 1)
    ordered = concatenate_tokens([storage.cut(rows, tokens) for tokens in ranges])
    end = ordered.shape.tokens if stop is None else min(stop, ordered.shape.tokens)
    if (start, end) != (0, ordered.shape.tokens):
        ordered = ordered.cut(tokens=(start, end))
    return ordered.true_copy() if is_copied else ordered
