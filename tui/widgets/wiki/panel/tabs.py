"""The tabs of the panel beside the article, and the row that names them."""

from __future__ import annotations

from typing import Literal, get_args

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

PanelTab = Literal["contents", "backlinks", "links", "mentions", "graph"]
TABS: tuple[PanelTab, ...] = get_args(PanelTab)
LABELS: dict[PanelTab, tuple[str, str]] = {
    "contents": ("Contents", "Cont"),
    "backlinks": ("Backlinks", "Back"),
    "links": ("Links", "Link"),
    "mentions": ("Mentions", "Ment"),
    "graph": ("Graph", "Grph"),
}


class PanelTabs(Static):
    """Five words, one of them lit, with a count where one is known; a click chooses."""

    class Chosen(Message):
        """Another tab is wanted."""

        def __init__(self, tab: PanelTab) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self._tab: PanelTab = "contents"
        self._count: int | None = None

    def show(self, tab: PanelTab, count: int | None) -> None:
        """Light up a tab."""
        self._tab, self._count = tab, count
        self._draw()

    def on_resize(self) -> None:
        """Words are as long as there is room."""
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Choose by mouse."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        start = 0
        for tab, label in zip(TABS, self._labels, strict=True):
            if start <= offset.x < start + len(label):
                event.stop()
                self.post_message(self.Chosen(tab))
            start += len(label)

    @property
    def _labels(self) -> tuple[str, ...]:
        return tab_labels(self._tab, self._count, self.size.width)

    def _draw(self) -> None:
        words = [
            Content(label).stylize(
                "bold $article-title on $panel" if tab == self._tab else "$foreground-muted"
            )
            for tab, label in zip(TABS, self._labels, strict=True)
        ]
        self.update(Content("").join(words))


def tab_labels(chosen: PanelTab, count: int | None, width: int) -> tuple[str, ...]:
    """The words with the blanks around them; short ones where the long ones do not fit."""
    number = "" if count is None else f" {count:,}"
    long = tuple(f" {LABELS[tab][0]}{number if tab == chosen else ''} " for tab in TABS)
    if sum(map(len, long)) <= width:
        return long
    short = [f" {LABELS[tab][tab != chosen]}{number if tab == chosen else ''} " for tab in TABS]
    if sum(map(len, short)) > width:
        short = [
            label if tab == chosen else label[1:] for tab, label in zip(TABS, short, strict=True)
        ]
    if sum(map(len, short)) > width:
        short = [f"{LABELS[tab][tab != chosen]} " for tab in TABS]
    return tuple(short)
