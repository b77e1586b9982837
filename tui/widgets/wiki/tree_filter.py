"""The line above the tree in which somebody types what to narrow it to."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

_PAGE = 10


class TreeFilter(Input):
    """Keeps the focus while the arrows move through the tree."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move_lines(-1)", show=False),
        Binding("down", "move_lines(1)", show=False),
        Binding("pageup", f"move_lines({-_PAGE})", show=False),
        Binding("pagedown", f"move_lines({_PAGE})", show=False),
    ]

    class Moved(Message):
        """The tree's cursor is to move by lines."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, placeholder="part of a name", compact=True)
        self.cursor_blink = False

    def action_move_lines(self, by: int) -> None:
        """Ask for it."""
        self.post_message(self.Moved(by))
