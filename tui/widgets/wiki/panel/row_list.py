"""A list of rows that keeps its place when it is filled anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from tui.widgets.line_list import LineList
from tui.widgets.wiki.panel.rows import Filled, Row


class RowList(LineList, can_focus=True):
    """Shows rows; titles are passed over by the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open"),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "move_page(-1)", "Page up", show=False),
        Binding("pagedown", "move_page(1)", "Page down", show=False),
        Binding("home", "move_to(0)", "First", show=False),
        Binding("end", "move_to(-1)", "Last", show=False),
    ]

    class Chosen(Message):
        """Enter or a click on a row."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: tuple[Row, ...] = ()

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def show(self, filled: Filled, *, is_new: bool) -> None:
        """Show rows; unless they are of something new, the cursor stays on what it was on."""
        was_on, cursor, line = self.row, filled.cursor, self.scroll_y
        if not is_new:
            goals = [row.goal for row in filled.rows]
            is_there = was_on is not None and was_on.goal is not None and was_on.goal in goals
            cursor = goals.index(was_on.goal) if is_there and was_on else self.cursor
        self._rows = filled.rows
        self.show_rows(len(filled.rows), self._able(cursor, 1))
        self.scroll_to(y=0 if is_new else line, animate=False)
        self.call_after_refresh(self.keep_in_sight)

    def draw_row(self, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        """One line of it."""
        text = self._rows[row].text
        if is_lit and self.has_focus:
            # The cursor's own colours are readable on its ground, others need not be.
            text = Content(text.plain)
        return (text.truncate(width, ellipsis=True),)

    def choose(self) -> None:
        """Do what the row says."""
        row = self.row
        if row is not None and row.goal is not None:
            self.post_message(self.Chosen(row))

    def on_focus(self) -> None:
        """The cursor looks otherwise."""
        self.redraw()

    def on_blur(self) -> None:
        """The cursor looks otherwise."""
        self.redraw()

    def action_choose(self) -> None:
        """Enter."""
        self.choose()

    def action_move(self, by: int) -> None:
        """Up or down, past titles."""
        self.cursor = self._able(self.cursor + by, by)

    def action_move_page(self, by: int) -> None:
        """Up or down by what is seen."""
        seen = max(1, self.scrollable_content_region.height - 1)
        self.cursor = self._able(self.cursor + by * seen, by)

    def action_move_to(self, row: int) -> None:
        """To the first or the last row."""
        self.cursor = self._able(row if row >= 0 else self.count - 1, 1 if row >= 0 else -1)
        if row == 0:
            self.scroll_home(animate=False)

    def _able(self, row: int, by: int) -> int:
        """The nearest row with a goal in this direction, or else in the other one."""
        row = max(0, min(row, len(self._rows) - 1))
        ahead = range(row, len(self._rows)) if by > 0 else range(row, -1, -1)
        behind = range(row, -1, -1) if by > 0 else range(row, len(self._rows))
        able = (at for way in (ahead, behind) for at in way if self._rows[at].goal is not None)
        return next(able, row)
