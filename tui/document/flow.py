"""A document at one width: where each block is, known exactly for those that were laid out.

The others have the height their text lets expect, so that any place can be shown at once. What is
laid out above the window changes where the window is; whoever scrolls asks by how much.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable

from tui.document.blocks import Block, Table, TableBody
from tui.document.document import Document
from tui.document.expected import expected_lines, opened_group
from tui.document.layout.lay import lay
from tui.document.lines import Laid, Line, runs_cells
from tui.document.sideways import part_in_sight


class Flow:
    """Lays blocks out when they are asked for, and remembers them."""

    def __init__(self, document: Document, width: int, folded: Iterable[int] = ()) -> None:
        self.document = document
        self.width = width
        self.folded = set(folded)
        self._laid: list[Laid | None] = [None] * len(document.blocks)
        self._heights = [self._expected(index) for index in range(len(document.blocks))]
        self._tops: list[int] | None = None
        self._next_unlaid = 0
        self.shifts: dict[Table, int] = {}

    @property
    def height(self) -> int:
        """Lines of the whole document, folded ones left out."""
        return self._places[-1]

    @property
    def is_complete(self) -> bool:
        """Whether every block is laid out."""
        return self._next_unlaid >= len(self._laid)

    def top(self, index: int) -> int:
        """The line a block begins on."""
        return self._places[index]

    def text_top(self, index: int) -> int:
        """The line that a block's text begins on, below the blank ones before it."""
        return self.top(index) + min(self._gap(index), max(self._heights[index] - 1, 0))

    def lines_of(self, index: int) -> int:
        """How many lines a block takes now; none when there is no such block."""
        return self._heights[index] if index < len(self._heights) else 0

    def is_hidden(self, index: int) -> bool:
        """Whether a block is folded away."""
        return not self.folded.isdisjoint(self.document.blocks[index].groups)

    def block_at(self, line: int) -> int:
        """The block that a line belongs to; the nearest one outside the document."""
        found = bisect.bisect_right(self._places, line) - 1
        return max(0, min(found, len(self._laid) - 1))

    def laid(self, index: int) -> Laid:
        """A block's lines."""
        found = self._laid[index]
        if found is None:
            block = self.document.blocks[index]
            found = lay(block, self.width, is_folded=self._opens_folded(block))
            self._laid[index] = found
            self._set_height(index, 0 if self.is_hidden(index) else self._shown(index, found))
        return found

    def line(self, number: int) -> tuple[int, Line] | None:
        """A line and the block it is of; None below the end."""
        if not 0 <= number < self.height:
            return None
        index = self.block_at(number)
        laid = self.laid(index)
        inner = number - self.top(index) + self._skipped(index)
        if not 0 <= inner < len(laid.lines):
            return None
        line = laid.lines[inner]
        if laid.wide is not None:
            line = part_in_sight(line, laid.wide, self.shift_of(index))
        return index, line

    def shift_of(self, index: int) -> int:
        """By how many cells a block that is wider than the text is moved to the left."""
        body = self.document.blocks[index].body
        return self.shifts.get(body.table, 0) if isinstance(body, TableBody) else 0

    def settle(self, top: int, height: int) -> int:
        """Lay out what a window shows; by how many lines the window's own text moved."""
        if not self._laid:
            return 0
        anchor = self.block_at(top)
        offset = top - self.top(anchor)
        index = anchor
        while index < len(self._laid) and self.top(index) < top + height:
            self.laid(index)
            index += 1
        index = anchor - 1
        while index >= 0 and self.top(index + 1) > top - height:
            self.laid(index)
            index -= 1
        # A block that came out shorter than expected is shown from its last line at most.
        offset = min(offset, max(self._heights[anchor] - 1, 0))
        return self.top(anchor) + offset - top

    def lay_next(self) -> int | None:
        """Lay out one more block, from the first one on; which one, None when all are."""
        while self._next_unlaid < len(self._laid):
            index = self._next_unlaid
            self._next_unlaid += 1
            if self._laid[index] is None:
                self.laid(index)
                return index
        return None

    def fold(self, group: int, *, is_folded: bool) -> None:
        """Fold a group away or bring it back."""
        (self.folded.add if is_folded else self.folded.discard)(group)
        for index, block in enumerate(self.document.blocks):
            if group in block.groups:
                self._heights[index] = self._height_now(index)
            elif opened_group(block) == group:
                self._laid[index] = None
                self._heights[index] = self._expected(index)
                self._next_unlaid = min(self._next_unlaid, index)
        self._tops = None

    def opener(self, index: int) -> tuple[int, int] | None:
        """The block that folds a block, itself included, and the group it folds."""
        groups = self.document.blocks[index].groups if index < len(self._laid) else ()
        for above in range(index, -1, -1):
            group = opened_group(self.document.blocks[above])
            if group is not None and (above == index or group in groups):
                return above, group
        return None

    def reveal(self, index: int) -> None:
        """Bring back whatever hides a block."""
        for group in self.folded.intersection(self.document.blocks[index].groups):
            self.fold(group, is_folded=False)

    def unfold(self, index: int) -> None:
        """Bring back whatever hides a block, and what it hides itself."""
        self.reveal(index)
        group = opened_group(self.document.blocks[index])
        if group in self.folded and group is not None:
            self.fold(group, is_folded=False)

    @property
    def _places(self) -> list[int]:
        if self._tops is None:
            self._tops = [0, *itertools.accumulate(self._heights)]
        return self._tops

    def _set_height(self, index: int, height: int) -> None:
        if self._heights[index] != height:
            self._heights[index] = height
            self._tops = None

    def _height_now(self, index: int) -> int:
        if self.is_hidden(index):
            return 0
        laid = self._laid[index]
        return self._expected(index) if laid is None else self._shown(index, laid)

    def _shown(self, index: int, laid: Laid) -> int:
        return len(laid.lines) - self._skipped(index)

    def _skipped(self, index: int) -> int:
        """The blank lines before the very first block are left out."""
        return self.document.blocks[index].gap if index == 0 else 0

    def _gap(self, index: int) -> int:
        return self.document.blocks[index].gap if index else 0

    def _opens_folded(self, block: Block) -> bool:
        return opened_group(block) in self.folded

    def _expected(self, index: int) -> int:
        if self.is_hidden(index):
            return 0
        block = self.document.blocks[index]
        room = max(self.width - runs_cells(block.margin.rest), 1)
        return self._gap(index) + expected_lines(block, room)
