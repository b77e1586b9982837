"""A list of rows of equal height, drawn when they are seen: it may have any number of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from tui.text.content import literal_line
from tui.text.marked import padded

_MOST_KEPT = 500
_NEAR_END = 2


class LineList(ScrollView):
    """Has a cursor and marks the row under the mouse; what the rows say is up to the subclass."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-list--cursor",
        "line-list--hover",
        "line-list--empty",
    }
    cursor = reactive(0, repaint=False)
    hover = reactive(-1, repaint=False)
    row_height = 1

    class RowChosen(Message):
        """The row under the cursor was clicked."""

    class CursorMoved(Message):
        """Another row is under the cursor."""

    class EndNeared(Message):
        """The last rows came into sight, or the cursor is among them."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.count = 0
        self._empty = ""
        self._drawn: dict[int, Sequence[Content]] = {}

    @abstractmethod
    def draw_row(self, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        """The lines of a row, as many as a row is high."""

    def choose(self) -> None:
        """The row under the cursor was clicked."""
        self.post_message(self.RowChosen())

    def show_rows(self, count: int, cursor: int, empty: str = "") -> None:
        """There are other rows now; `empty` stands where there are none."""
        self.count, self._empty = count, empty
        self.virtual_size = Size(0, count * self.row_height)
        self.set_reactive(LineList.cursor, max(0, min(cursor, count - 1)))
        self.redraw()

    def redraw(self) -> None:
        """The same rows look different."""
        self._drawn.clear()
        self.refresh()

    def redraw_row(self, row: int) -> None:
        """One row looks different."""
        self._drawn.pop(row, None)
        top = row * self.row_height - round(self.scroll_offset.y)
        if -self.row_height < top < self.size.height:
            self.refresh(Region(0, top, self.size.width, self.row_height))

    def keep_in_sight(self, is_centred: bool = False) -> None:
        """Scroll no further than the cursor asks for, or else until it is in the middle."""
        region = Region(0, self.cursor * self.row_height, 1, self.row_height)
        self.scroll_to_region(
            region, animate=False, force=True, x_axis=False, immediate=True, center=is_centred
        )

    @property
    def is_cursor_seen(self) -> bool:
        """Whether the cursor's row is in the part that is shown."""
        top = self.cursor * self.row_height - round(self.scroll_offset.y)
        return 0 <= top <= self.scrollable_content_region.height - self.row_height

    def validate_cursor(self, row: int) -> int:
        """The cursor stays on the rows."""
        return max(0, min(row, self.count - 1))

    def watch_cursor(self, before: int, row: int) -> None:
        """Draw both rows anew."""
        self.redraw_row(before)
        self.redraw_row(row)
        self.keep_in_sight()
        self.post_message(self.CursorMoved())
        if row >= self.count - _NEAR_END:
            self.post_message(self.EndNeared())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """As Textual's; whoever scrolls to the end may want more."""
        super().watch_scroll_y(old_value, new_value)
        seen = (round(new_value) + self.size.height) // self.row_height
        if new_value > old_value and seen >= self.count - _NEAR_END:
            self.post_message(self.EndNeared())

    def watch_hover(self, before: int, row: int) -> None:
        """Draw both rows anew."""
        self.redraw_row(before)
        self.redraw_row(row)

    def on_resize(self) -> None:
        """Rows are as long as the list is wide."""
        self.redraw()
        self.call_after_refresh(self.keep_in_sight)

    def notify_style_update(self) -> None:
        """Another theme."""
        super().notify_style_update()
        self.redraw()

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        width = self.scrollable_content_region.width
        row, part = divmod(y + round(self.scroll_offset.y), self.row_height)
        if row >= self.count:
            return self._blank(y, width)
        is_lit = row == self.cursor
        name = "line-list--cursor" if is_lit else "line-list--hover" if row == self.hover else ""
        style = self.get_visual_style(name) if name else self.visual_style
        if row not in self._drawn:
            if len(self._drawn) > _MOST_KEPT:
                self._drawn.clear()
            # One cell stays free beside the scroll bar.
            self._drawn[row] = self.draw_row(row, max(1, width - 1), is_lit)
        lines = self._drawn[row]
        if part >= len(lines):
            return Strip.blank(width, self.visual_style.rich_style)
        line = lines[part]
        return Visual.to_strips(self, padded(line, width), width, 1, style)[0]

    def action_move(self, by: int) -> None:
        """Up or down by rows."""
        self.cursor += by

    def action_move_page(self, by: int) -> None:
        """Up or down by what is seen."""
        seen = self.scrollable_content_region.height // self.row_height
        self.cursor += by * max(1, seen - 1)

    def action_move_to(self, row: int) -> None:
        """To the first or the last row."""
        self.cursor = row if row >= 0 else self.count - 1

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The row under the mouse is marked."""
        self.hover = self._row_at(event)

    def on_leave(self) -> None:
        """Nothing is marked any more."""
        self.hover = -1

    async def _on_click(self, event: events.Click) -> None:
        row = self._row_at(event)
        if row >= 0:
            event.stop()
            self.cursor = row
            self.choose()

    def _row_at(self, event: events.MouseEvent) -> int:
        offset = event.get_content_offset(self)
        if offset is None:
            return -1
        row = (offset.y + round(self.scroll_offset.y)) // self.row_height
        return row if row < self.count else -1

    def _blank(self, y: int, width: int) -> Strip:
        text = self._empty if y == 0 and not self.count else ""
        style = self.get_visual_style("line-list--empty") if text else self.visual_style
        return Visual.to_strips(self, literal_line(text, width), width, 1, style)[0]
