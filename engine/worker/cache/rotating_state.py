"""Ring and row book-keeping of a batch of sliding-window rows. No tensor library.

All rows advance together, so the ring is one for the batch: every row writes the same column.
Only positions and paddings differ by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.worker.cache.errors import CacheError

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RingMask:
    """Which columns the tokens about to be written may see; taken before the write.

    `query` is the time-ordered column of the first new token among `columns` columns. Time order
    becomes physical order when the columns are rolled right by `roll`.
    """

    query: int
    columns: int
    left_padding: tuple[int, ...]
    roll: int

    def is_visible(self, row: int, column: int, window: int, token: int = 0) -> bool:
        """Whether the new token number `token` of a row sees a physical column."""
        age_ordered = (column - self.roll) % self.columns
        query = self.query + token
        return age_ordered <= query < age_ordered + window and age_ordered >= self.left_padding[row]


@dataclass(slots=True)
class BatchedRotatingState:
    """Where the next token goes and what each row holds.

    `left_padding`: columns before a row's first token; below zero once the row has overwritten
    more than its padding. `offsets`: absolute positions, by default minus the padding.
    `ring_index`: the next physical column. `total_offset`: columns written since the last merge,
    so not a position.
    """

    max_size: int
    left_padding: list[int]
    offsets: list[int] = field(default_factory=list)
    ring_index: int = 0
    total_offset: int = 0
    is_rotated: bool = False
    _tokens_begun: int | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.left_padding = list(self.left_padding)
        self.offsets = list(self.offsets) or [-padding for padding in self.left_padding]
        if len(self.offsets) != len(self.left_padding):
            raise CacheError("A batch of cache rows needs one offset and one padding for each row.")

    @property
    def batch_size(self) -> int:
        """Rows in the batch."""
        return len(self.left_padding)

    @property
    def valid_length(self) -> int:
        """Columns that hold something."""
        return min(self.total_offset, self.max_size)

    @property
    def is_trimmable(self) -> bool:
        """Nothing has been overwritten yet."""
        return self.total_offset < self.max_size

    def mark_grown(self, previous_total: int) -> None:
        """The buffer was enlarged when it held `previous_total` columns."""
        self.ring_index = previous_total

    def trim_overshoot(self, columns: int) -> None:
        """The oldest `columns` were cut from a buffer longer than the window."""
        if columns <= 0:
            return
        self.ring_index = self.max_size
        self._shift_padding(-columns)

    def begin_write(self, tokens: int) -> int:
        """Make room for one write; returns the physical column it starts at."""
        if self._tokens_begun is not None:
            raise CacheError("A write to a batch of cache rows began before the last one ended.")
        self._tokens_begun = tokens
        if self.ring_index == self.max_size:
            self.is_rotated = True
            self.ring_index = 0
        if self.is_rotated:
            self._shift_padding(-tokens)
        return self.ring_index

    def commit_write(self, tokens: int) -> None:
        """The write that was begun has been made."""
        if self._tokens_begun != tokens:
            raise CacheError("A write to a batch of cache rows ended that was never begun.")
        self._tokens_begun = None
        self.total_offset += tokens
        self.ring_index += tokens
        self.offsets = [offset + tokens for offset in self.offsets]

    def hold_back(self, row: int) -> None:
        """A row's token just written counts as padding: its owner keeps that token elsewhere."""
        self.left_padding[row] += 1

    def filter(self, kept: Sequence[int]) -> None:
        """Keep these rows, in this order."""
        self.offsets = [self.offsets[row] for row in kept]
        self.left_padding = [self.left_padding[row] for row in kept]

    def trim(self, tokens: int) -> int:
        """Take back the last tokens of every row; returns how many. Legal only if trimmable."""
        amount = min(self.total_offset, tokens)
        self.total_offset -= amount
        self.ring_index -= amount
        self.offsets = [offset - amount for offset in self.offsets]
        return amount

    def restore_merged(self, width: int, offsets: Sequence[int]) -> None:
        """The buffer holds freshly merged rows in time order, `width` columns of them."""
        self.total_offset = self.ring_index = width
        self.offsets = list(offsets)
        self.is_rotated = False

    def is_aligned_with(self, other: BatchedRotatingState) -> bool:
        """Both write the same column next and have the same columns in use."""
        mine, theirs = (self.is_rotated, self.ring_index), (other.is_rotated, other.ring_index)
        return mine == theirs

    def mark_unrolled(self, width: int) -> None:
        """The buffer was put into time order, `width` columns of it."""
        self.ring_index = width
        self.is_rotated = False

    def extend(self, other: BatchedRotatingState) -> tuple[int, int]:
        """Join rows aligned with one's own, or in time order as one's own are.

        Returns the columns to put before one's own and the other's rows.
        """
        width = max(self.ring_index, other.ring_index)
        own, joined = width - self.ring_index, width - other.ring_index
        self._shift_padding(own)
        self.left_padding += [padding + joined for padding in other.left_padding]
        self.offsets = self.offsets + other.offsets
        self.ring_index = width
        self.total_offset = max(self.total_offset, other.total_offset)
        return own, joined

    def temporal_ranges(self, buffer_length: int) -> list[Range]:
        """Physical column ranges, oldest first."""
        if self.ring_index == buffer_length:
            return [(0, buffer_length)]
        if self.ring_index < self.total_offset:
            return [(self.ring_index, buffer_length), (0, self.ring_index)]
        return [(0, self.ring_index)]

    def mask(self, tokens: int = 1) -> RingMask:
        """What the next `tokens` tokens may see; nothing is changed."""
        query = min(self.max_size - 1, self.total_offset)
        overshoot = max(0, self.ring_index - self.max_size + (1 if tokens > 1 else 0))
        is_at_end = self.ring_index >= self.max_size
        is_rotating = tokens == 1 and (self.is_rotated or is_at_end)
        shift = overshoot + (1 if is_rotating else 0)
        return RingMask(
            query=query,
            columns=query + tokens,
            left_padding=tuple(padding - shift for padding in self.left_padding),
            roll=(0 if is_at_end else self.ring_index) + 1 if is_rotating else 0,
        )

    def check(self) -> None:
        """Raise CacheError when the book-keeping contradicts itself."""
        if len(self.offsets) != len(self.left_padding):
            raise CacheError("A batch of cache rows has lost a row's offset or padding.")
        if not 0 <= self.ring_index <= self.max_size:
            raise CacheError(
                f"The ring of a sliding window of {self.max_size} stands at {self.ring_index}."
            )
        is_filling = self.ring_index < self.max_size and not self.is_rotated
        if is_filling and self.ring_index != self.total_offset:
            raise CacheError("A sliding window that never wrapped has lost count of its columns.")

    def _shift_padding(self, columns: int) -> None:
        self.left_padding = [padding + columns for padding in self.left_padding]
