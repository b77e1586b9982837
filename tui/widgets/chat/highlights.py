"""Marks what is looked for where it is drawn, and takes the marks away again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tui.markdown.flat_list import FlatList, ItemLine
from tui.markdown.widget import SafeMarkdown
from tui.text.marked import MATCH
from tui.widgets.chat.message_view import MessageView
from tui.widgets.chat.question import Question

Drawn = Content | tuple[ItemLine, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """A widget with a hit, and the share of its text that is above the hit."""

    widget: Widget
    share: float


class Highlights:
    """Remembers how widgets looked without marks. Only the event loop may use it."""

    def __init__(self) -> None:
        self._before: dict[Widget, tuple[Drawn, Drawn]] = {}

    def mark(self, views: Iterable[MessageView], pattern: re.Pattern[str]) -> None:
        """Mark every hit in these messages."""
        for view in views:
            for leaf in leaves(view):
                drawn = _drawn(leaf)
                if leaf not in self._before and any(map(pattern.search, _plain(drawn))):
                    marked = _marked(drawn, pattern)
                    self._before[leaf] = drawn, marked
                    _draw(leaf, marked)

    def clear(self) -> None:
        """Take all marks away."""
        for leaf, (drawn, marked) in self._before.items():
            # What has changed meanwhile has no marks.
            if leaf.is_attached and _drawn(leaf) == marked:
                _draw(leaf, drawn)
        self._before.clear()


def spot(view: MessageView, pattern: re.Pattern[str], number: int) -> Spot | None:
    """Where the hit of this number is in a message."""
    for leaf in leaves(view):
        text = "\n".join(_plain(_drawn(leaf)))
        hits = list(pattern.finditer(text))
        if number < len(hits):
            above, whole = text.count("\n", 0, hits[number].start()), text.count("\n")
            share = above / (whole + 1) if whole else hits[number].start() / len(text)
            return Spot(leaf, share)
        number -= len(hits)
    return None


def leaves(view: MessageView) -> Iterator[Widget]:
    """The widgets that draw the text of a message, from top to bottom."""
    if isinstance(view, Question):
        yield view.query_children(Static).first(Static)
        return
    for markdown in view.query(SafeMarkdown):
        for leaf in markdown.query(Static):
            if isinstance(leaf, FlatList) or (
                isinstance(leaf.content, Content) and leaf.content.plain
            ):
                yield leaf


def _drawn(leaf: Widget) -> Drawn:
    if isinstance(leaf, FlatList):
        return leaf.items
    content = leaf.content if isinstance(leaf, Static) else ""
    return content if isinstance(content, Content) else Content(str(content))


def _plain(drawn: Drawn) -> list[str]:
    if isinstance(drawn, Content):
        return [drawn.plain]
    return [item.text.plain for item in drawn]


def _marked(drawn: Drawn, pattern: re.Pattern[str]) -> Drawn:
    if isinstance(drawn, Content):
        return drawn.highlight_regex(pattern, style=MATCH)
    return tuple(
        replace(item, text=item.text.highlight_regex(pattern, style=MATCH)) for item in drawn
    )


def _draw(leaf: Widget, drawn: Drawn) -> None:
    if isinstance(leaf, FlatList) and isinstance(drawn, tuple):
        leaf.show_items(drawn)
    elif isinstance(leaf, Static) and isinstance(drawn, Content):
        leaf.update(drawn)
