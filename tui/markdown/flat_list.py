"""A list of plain items as one widget: Textual takes four an item, which a long answer feels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from markdown_it.token import Token
from textual.content import Content
from textual.geometry import Size
from textual.selection import Selection
from textual.widgets._markdown import (
    Markdown,
    MarkdownBlock,
    MarkdownList,
    MarkdownListItem,
    MarkdownOrderedList,
    MarkdownParagraph,
)

from tui.document.layout.flow_text import LEAST_TEXT_CELLS


@dataclass(frozen=True, slots=True)
class ItemLine:
    """A paragraph of an item: what stands before its first line, and the text."""

    mark: Content
    text: Content


@dataclass(frozen=True, slots=True)
class Row:
    """A line as it is drawn; `joint` is what the wrapping took away before it."""

    content: Content
    joint: str
    hang: int


class FlatList(MarkdownBlock):
    """Draws items with hanging indents."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list-mark"}
    DEFAULT_CSS = """
    FlatList > .list-mark { color: $text-primary; }
    FlatList:light > .list-mark { color: $text-secondary; }
    """

    def __init__(self, markdown: Markdown, token: Token, items: Sequence[ItemLine]) -> None:
        super().__init__(markdown, token)
        self._items = tuple(items)
        self._wrapped: tuple[int, tuple[Row, ...]] = (0, ())

    @property
    def items(self) -> tuple[ItemLine, ...]:
        """What is drawn."""
        return self._items

    def show_items(self, items: Sequence[ItemLine]) -> None:
        """Draw these instead."""
        self._items, self._wrapped = tuple(items), (0, ())
        self.update("")

    def render(self) -> Content:
        """The items, wrapped already."""
        rows = self._rows(self.content_size.width)
        return Content("\n").join(row.content for row in rows)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of lines at this width."""
        return len(self._rows(width)) if width else 0

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is selected, without the breaks and indents of wrapping."""
        pieces: list[str] = []
        for y, row in enumerate(self._rows(self.content_size.width)):
            span = selection.get_span(y)
            if span is None:
                continue
            start, end = span
            start = max(start, row.hang)
            piece = row.content.plain[start : None if end == -1 else end]
            pieces.append(f"{row.joint}{piece}" if pieces else piece)
        return "".join(pieces), "\n"

    def _rows(self, width: int) -> tuple[Row, ...]:
        if self._wrapped[0] != width:
            self._wrapped = width, tuple(wrapped(self._items, width))
        return self._wrapped[1]


def flat_items(block: MarkdownList) -> tuple[ItemLine, ...] | None:
    """The items of a list in which there is nothing but text and lists; else None."""
    lines: list[ItemLine] = []
    return tuple(lines) if _collect(block, "", lines) else None


def _collect(block: MarkdownList, before: str, lines: list[ItemLine]) -> bool:
    for mark, item in _marked(block):
        hang = " " * len(mark)
        lead = mark
        for part in item._blocks:
            if isinstance(part, MarkdownParagraph):
                lines.append(ItemLine(_lead(before, lead), part._content))
            elif lead is mark or not isinstance(part, MarkdownList):
                return False
            else:
                is_plain = _collect(part, before + hang, lines)
                if not is_plain:
                    return False
            lead = hang
        if lead is mark:
            lines.append(ItemLine(_lead(before, mark), Content("")))
    return True


def _lead(before: str, mark: str) -> Content:
    return Content(before) + Content.styled(mark, ".list-mark")


def _marked(block: MarkdownList) -> Iterator[tuple[str, MarkdownListItem]]:
    """Each item with its bullet or number, numbers below each other."""
    items = [each for each in block._blocks if isinstance(each, MarkdownListItem)]
    if not isinstance(block, MarkdownOrderedList):
        yield from ((item.bullet, item) for item in items)
        return
    first = int(items[0].bullet) if items and items[0].bullet.isdigit() else 1
    widest = len(f"{first + len(items) - 1}. ")
    for number, item in enumerate(items, first):
        yield f"{number}. ".rjust(widest + 1), item


def wrapped(items: Sequence[ItemLine], width: int) -> Iterator[Row]:
    """The lines of the items in so many cells."""
    for item in items:
        most = max(width - LEAST_TEXT_CELLS, width // 3)
        spare = max(item.mark.cell_length - most, 0)
        indent = len(item.mark) - len(item.mark.plain.lstrip())
        # Where there is little room, an item is further left than it should be.
        first = item.mark[min(spare, indent) :][:most]
        hang = first.cell_length
        room = max(width - hang, 1)
        at = 0
        for number, line in enumerate(item.text.wrap(room)):
            start = item.text.plain.find(line.plain, at)
            joint = "\n" if not number else item.text.plain[at:start] if start >= 0 else " "
            at = max(start, at) + len(line.plain)
            mark = first if not number else Content(" " * hang)
            yield Row(mark + line, joint, 0 if not number else hang)
