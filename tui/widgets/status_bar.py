"""The line at the top: which wiki, which model, what the engine is doing."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from tui.text.content import literal_line


class StatusBar(Horizontal):
    """Two texts, left and right; redrawn only when they change."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown = ("Zibaldone", "")

    def compose(self) -> ComposeResult:
        """Left and right."""
        yield Static(Content(self._shown[0]), id="status-left")
        yield Static(Content(""), id="status-right")

    def show(self, left: str | None = None, right: str | None = None) -> None:
        """Replace either side."""
        wanted = (
            self._shown[0] if left is None else left,
            self._shown[1] if right is None else right,
        )
        for place, text, before in zip(
            ("#status-left", "#status-right"), wanted, self._shown, strict=True
        ):
            if text != before:
                self.query_one(place, Static).update(literal_line(text))
        self._shown = wanted
