"""The row above the tree that says how pages are grouped."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.widgets.wiki.outline_groups import View

LABELS = {
    View.FOLDERS: ("Folders", "Fold"),
    View.CATEGORIES: ("Categories", "Cat"),
    View.TAGS: ("Tags", "Tags"),
    View.RECENT: ("Recent", "New"),
    View.PINNED: ("Pinned", "Pins"),
}
VIEWS = tuple(View)


class TreeTabs(Static):
    """Five words, one of them lit; a click chooses, as the keys 1 to 5 do in the tree."""

    class Chosen(Message):
        """Another grouping is wanted."""

        def __init__(self, view: View) -> None:
            super().__init__()
            self.view = view

    def __init__(self, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self._view = View.FOLDERS

    def show(self, view: View) -> None:
        """Light up a grouping."""
        self._view = view
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
        for view, label in zip(VIEWS, tab_labels(self._view, self.size.width), strict=True):
            if start <= offset.x < start + len(label):
                event.stop()
                self.post_message(self.Chosen(view))
            start += len(label)

    def _draw(self) -> None:
        labels = tab_labels(self._view, self.size.width)
        words = [
            Content(label).stylize(
                "bold $article-title on $panel" if view is self._view else "$foreground-muted"
            )
            for view, label in zip(VIEWS, labels, strict=True)
        ]
        self.update(Content("").join(words))


def tab_labels(chosen: View, width: int) -> tuple[str, ...]:
    """The words with the blanks around them; short ones where the long ones do not fit."""
    long = tuple(f" {LABELS[view][0]} " for view in VIEWS)
    if sum(map(len, long)) <= width:
        return long
    short = tuple(f" {LABELS[view][view is not chosen]} " for view in VIEWS)
    if sum(map(len, short)) <= width:
        return short
    return tuple(
        label.rstrip() if view is not chosen else label
        for view, label in zip(VIEWS, short, strict=True)
    )
