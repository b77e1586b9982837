"""The rows of the list of chats, with keys of their own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from tui.screens.chats.rows import ROW_LINES, ChatRow, row_lines
from tui.widgets.line_list import LineList
from vault.conversations.stored import now


class ChatRows(LineList):
    """The rows; letters do there what function keys do everywhere."""

    row_height = ROW_LINES
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "move_page(-1)", show=False),
        Binding("pagedown", "move_page(1)", show=False),
        Binding("home,g", "move_to(0)", show=False),
        Binding("end,G", "move_to(-1)", show=False),
        Binding("enter", "screen.take", show=False),
        Binding("r", "screen.rename", show=False),
        Binding("p", "screen.pin", show=False),
        Binding("t", "screen.tag", show=False),
        Binding("e", "screen.export", show=False),
        Binding("d,delete", "screen.delete", show=False),
        Binding("u", "screen.take_back", show=False),
        Binding("slash,tab,shift+tab", "screen.look_for", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: Sequence[ChatRow] = ()
        self.moment: datetime = now()

    def draw_row(self, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        """One chat."""
        return row_lines(self.rows[row], width, is_lit, self.moment)
