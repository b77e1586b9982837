"""Draws a long list in parts, so that a list that grows costs no more than its last items.

Textual draws the last top-level block anew at every append. Where a part begins depends only on
the items before it: text that arrives in pieces has the parts of the whole.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from textual.app import ComposeResult
from textual.widgets._markdown import (
    Markdown,
    MarkdownBlock,
    MarkdownBulletList,
    MarkdownList,
    MarkdownOrderedList,
)

from tui.markdown.flat_list import FlatList, flat_items

ITEMS_A_PART = 8
_GOES_ON = "-goes-on"
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})


class _ListPart(MarkdownList):
    """A list, or a part of one; as one widget where its items are plain."""

    def __init__(self, markdown: Markdown, token: Token) -> None:
        super().__init__(markdown, token)
        self._flat: FlatList | None = None
        self.set_class(bool(token.meta.get(_GOES_ON)), _GOES_ON)

    def compose(self) -> ComposeResult:
        """The items."""
        items = flat_items(self)
        if items is None:
            yield from super().compose()
            return
        self._blocks.clear()
        self._flat = FlatList(self._markdown, self._token, items)
        yield self._flat

    async def _update_from_block(self, block: MarkdownBlock) -> None:
        items = flat_items(block) if isinstance(block, type(self)) else None
        if items is None or self._flat is None:
            await super()._update_from_block(block)
            return
        self._copy_context(block)
        self.set_class(block.has_class(_GOES_ON), _GOES_ON)
        self._flat.show_items(items)


class BulletListPart(_ListPart, MarkdownBulletList):
    """A bullet list."""

    DEFAULT_CSS = "BulletListPart.-goes-on { margin: 0; }"


class OrderedListPart(_ListPart, MarkdownOrderedList):
    """An ordered list."""

    DEFAULT_CSS = "OrderedListPart.-goes-on { margin: 0; }"


def part_lists(state: StateCore) -> None:
    """A rule for the parser: top-level lists become several."""
    if any(token.type in _LISTS for token in state.tokens):
        state.tokens = list(_parted(state.tokens))


def _parted(tokens: Sequence[Token]) -> Iterator[Token]:
    opening: Token | None = None
    items = first = 0
    for token in tokens:
        if token.level == 0 and token.type in _LISTS:
            opening, items = token, 0
        elif opening is not None and token.level == 1 and token.type == "list_item_open":
            if items >= ITEMS_A_PART and _follows(token, first + items):
                yield _closing(opening)
                opening.meta[_GOES_ON] = True
                opening, items = _opening(opening, token), 0
                yield opening
            if not items:
                first = int(token.info or 0)
            items += 1
        yield token


def _follows(item: Token, number: int) -> bool:
    """Whether a list may begin here: an ordered one is numbered on from its first item."""
    return not item.info or int(item.info) == number


def _opening(whole: Token, item: Token) -> Token:
    part = copy.copy(whole)
    part.meta = {}
    if whole.map is not None and item.map is not None:
        part.map = [item.map[0], whole.map[1]]
    return part


def _closing(opening: Token) -> Token:
    return Token(opening.type.replace("_open", "_close"), opening.tag, -1, block=True)
