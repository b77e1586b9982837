"""Row book-keeping of a left-padded batch with full attention. No tensor library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class PaddedState:
    """Rows end at the same column, `width`; the shorter ones start after their padding."""

    left_padding: list[int]
    width: int = 0
    right_padding: list[int] = field(default_factory=list)

    @property
    def offsets(self) -> list[int]:
        """The position of each row's next token; below zero while its padding is still to come."""
        return [self.width - padding for padding in self.left_padding]

    def add_left_padding(self, columns: Sequence[int]) -> None:
        """The rows to come start later by so many columns."""
        self.left_padding = [a + b for a, b in zip(self.left_padding, columns, strict=True)]

    def move_right_padding_left(self) -> list[int]:
        """After the rows were rolled right by their right padding; returns those shifts."""
        shifts, self.right_padding = self.right_padding, []
        self.add_left_padding(shifts)
        return shifts

    def trim(self, tokens: int) -> int:
        """Take back the last tokens of every row, at most what the shortest row has."""
        amount = max(0, min(tokens, *self.offsets)) if self.left_padding else 0
        self.width -= amount
        return amount

    def filter(self, kept: Sequence[int]) -> int:
        """Keep these rows, in this order; returns the columns of padding common to all of them."""
        self.left_padding = [self.left_padding[row] for row in kept]
        surplus = min([self.width, *self.left_padding]) if kept else self.width
        self.width -= surplus
        self.left_padding = [padding - surplus for padding in self.left_padding]
        return surplus

    def extend(self, other: PaddedState) -> tuple[int, int]:
        """Join another batch; returns the columns to put before one's own and the other's rows."""
        width = max(self.width, other.width)
        own, joined = width - self.width, width - other.width
        self.left_padding = [padding + own for padding in self.left_padding] + [
            padding + joined for padding in other.left_padding
        ]
        self.width = width
        return own, joined
