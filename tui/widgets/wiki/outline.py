"""The lines of the tree: groups and pages, with only the open ones unfolded. Pure values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Sequence
from dataclasses import dataclass

from tui.widgets.wiki.outline_groups import Group
from vault.listing import Note


@dataclass(frozen=True, slots=True)
class Branch:
    """The line of a group."""

    group: Group
    level: int
    is_open: bool

    @property
    def key(self) -> tuple[str, str]:
        """What tells the line from all others, also in a later outline."""
        return self.group.key, ""


@dataclass(frozen=True, slots=True)
class Leaf:
    """The line of a page; a page in several groups has several lines."""

    note: Note
    group_key: str
    level: int

    @property
    def key(self) -> tuple[str, str]:
        """What tells the line from all others, also in a later outline."""
        return self.group_key, self.note.path


Row = Branch | Leaf
TOP = ("", "")
"""The key of no line: the cursor goes to the first one."""


class Everything(Container[str]):
    """Every group is open."""

    def __contains__(self, key: object) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class _Notes:
    """The pages of one open group: lines that are made when they are drawn."""

    notes: Sequence[Note]
    group_key: str
    level: int


class Outline:
    """The lines below a group. Making one costs what is open, not what there is."""

    def __init__(self, top: Group, open_keys: Container[str]) -> None:
        self.top = top
        self._open_keys = open_keys
        self._blocks: list[Branch | _Notes] = []
        self._starts: list[int] = []
        self._length = 0
        self._add(top, 0)

    def __len__(self) -> int:
        return self._length

    @property
    def blocks(self) -> int:
        """How many values stand for all lines."""
        return len(self._blocks)

    @property
    def first_page_line(self) -> int:
        """Where the first page stands; 0 when there is none."""
        pairs = zip(self._starts, self._blocks, strict=True)
        return next((start for start, block in pairs if isinstance(block, _Notes)), 0)

    def row(self, line: int) -> Row:
        """What stands on a line, from 0. Raises IndexError."""
        if not 0 <= line < self._length:
            raise IndexError(line)
        index = bisect_right(self._starts, line) - 1
        block = self._blocks[index]
        if isinstance(block, Branch):
            return block
        note = block.notes[line - self._starts[index]]
        return Leaf(note, block.group_key, block.level)

    def line_of(self, key: tuple[str, str]) -> int | None:
        """Where a line is now; None when it is gone or folded away."""
        group_key, path = key
        for start, block in zip(self._starts, self._blocks, strict=True):
            if isinstance(block, Branch):
                if not path and block.group.key == group_key:
                    return start
            elif path and block.group_key == group_key:
                return _place(block, path, start)
        return None

    def line_of_page(self, path: str) -> int | None:
        """The first line of a page; None when it has none or is folded away."""
        for start, block in zip(self._starts, self._blocks, strict=True):
            if isinstance(block, _Notes):
                line = _place(block, path, start)
                if line is not None:
                    return line
        return None

    def _add(self, group: Group, level: int) -> None:
        for each in group.groups:
            is_open = each.key in self._open_keys
            self._append(Branch(each, level, is_open), 1)
            if is_open:
                self._add(each, level + 1)
        if group.notes:
            self._append(_Notes(group.notes, group.key, level), len(group.notes))

    def _append(self, block: Branch | _Notes, lines: int) -> None:
        self._starts.append(self._length)
        self._blocks.append(block)
        self._length += lines


def _place(block: _Notes, path: str, start: int) -> int | None:
    for index, note in enumerate(block.notes):
        if note.path == path:
            return start + index
    return None


def folders_above(path: str) -> list[str]:
    """The keys of the folders a page is in, from the outermost."""
    folders = path.split("/")[:-1]
    return ["/".join(folders[: count + 1]) + "/" for count in range(len(folders))]
