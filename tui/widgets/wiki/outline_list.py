"""The lines of the tree: drawn one by one, so that it does not matter how many there are."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from tui.text.content import literal_line
from tui.widgets.wiki.outline import TOP, Branch, Outline, Row
from tui.widgets.wiki.outline_groups import Group
from tui.widgets.wiki.outline_row import INDENT, Look, Marks, row_text

AGE_SECONDS = 30.0


class OutlineList(ScrollView, can_focus=True):
    """Shows an outline with a cursor. It folds nothing itself: it says what the user wants."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"outline--cursor", "outline--hover", "outline--empty"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "move_page(-1)", show=False),
        Binding("pagedown", "move_page(1)", show=False),
        Binding("home", "move_to(0)", show=False),
        Binding("end", "move_to(-1)", show=False),
        Binding("left", "fold", show=False),
        Binding("right", "unfold", show=False),
        Binding("enter", "choose", show=False),
        Binding("space", "toggle_group", show=False),
    ]
    cursor = reactive(0, repaint=False)
    hover = reactive(-1, repaint=False)

    class Chosen(Message):
        """A page was chosen."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    class Folded(Message):
        """A group is to be opened or closed."""

        def __init__(self, group: Group, is_open: bool) -> None:
            super().__init__()
            self.group = group
            self.is_open = is_open

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._outline = Outline(Group("", ""), ())
        self._empty = ""
        self._look = Look(1, 0.0, Marks())
        self._drawn: dict[int, str] = {}

    @property
    def row(self) -> Row | None:
        """What the cursor stands on."""
        return self._outline.row(self.cursor) if len(self._outline) else None

    def on_mount(self) -> None:
        """Ages grow while nothing happens."""
        self.set_interval(AGE_SECONDS, self._grow_older)

    def show(
        self,
        outline: Outline,
        look: Look,
        key: tuple[str, str] | None = None,
        empty: str = "",
    ) -> None:
        """Draw other lines; the cursor stays on what it stood on, or goes to the line of `key`."""
        before = self.row
        height_of_cursor = self.cursor - round(self.scroll_offset.y)
        self._outline, self._empty = outline, empty
        wanted = key or (before.key if before is not None else TOP)
        line = outline.line_of(wanted)
        self.virtual_size = Size(0, len(outline))
        place = line if line is not None else self.cursor if key is None else 0
        self.set_reactive(OutlineList.cursor, max(0, min(place, len(outline) - 1)))
        self.redraw(look)
        if key is None:
            self.scroll_to(y=self.cursor - height_of_cursor, animate=False, immediate=True)
        self._keep_in_sight()

    def redraw(self, look: Look) -> None:
        """The same lines look different."""
        self._look = look
        self._drawn.clear()
        self.refresh()

    def go_to_page(self, path: str) -> None:
        """Put the cursor on the first line of a page, if it has one."""
        line = self._outline.line_of_page(path)
        if line is not None:
            self.cursor = line

    def go_to_first_page(self) -> None:
        """Put the cursor on the first page that is seen."""
        self.cursor = self._outline.first_page_line

    def validate_cursor(self, line: int) -> int:
        """The cursor stays on the lines."""
        return max(0, min(line, len(self._outline) - 1))

    def watch_cursor(self, before: int, line: int) -> None:
        """Draw both lines anew."""
        self._refresh_line(before)
        self._refresh_line(line)
        self._keep_in_sight()

    def watch_hover(self, before: int, line: int) -> None:
        """Draw both lines anew."""
        self._refresh_line(before)
        self._refresh_line(line)

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        width = self.scrollable_content_region.width
        line = y + round(self.scroll_offset.y)
        if line >= len(self._outline):
            return self._blank(y, width)
        row = self._outline.row(line)
        is_lit = line == self.cursor
        name = "outline--cursor" if is_lit else "outline--hover" if line == self.hover else ""
        style = self.get_visual_style(name) if name else self.visual_style
        content = row_text(row, self._sized(width), is_lit)
        self._drawn[line] = content.plain
        return Visual.to_strips(self, content, width, 1, style)[0]

    def action_move(self, by: int) -> None:
        """Up or down by lines."""
        self.cursor += by

    def action_move_page(self, by: int) -> None:
        """Up or down by what is seen."""
        self.cursor += by * max(1, self.scrollable_content_region.height - 1)

    def action_move_to(self, line: int) -> None:
        """To the first or the last line."""
        self.cursor = line if line >= 0 else len(self._outline) - 1

    def action_choose(self) -> None:
        """Open a page; fold or unfold a group."""
        row = self.row
        if isinstance(row, Branch):
            self.action_toggle_group()
        elif row is not None:
            self.post_message(self.Chosen(row.note.path))

    def action_toggle_group(self) -> None:
        """Fold or unfold a group."""
        row = self.row
        if isinstance(row, Branch):
            self.post_message(self.Folded(row.group, not row.is_open))

    def action_unfold(self) -> None:
        """Open a group, or go into an open one."""
        row = self.row
        if isinstance(row, Branch) and not row.is_open:
            self.post_message(self.Folded(row.group, is_open=True))
        elif isinstance(row, Branch):
            self.cursor += 1

    def action_fold(self) -> None:
        """Close a group, or go to the one this line is in."""
        row = self.row
        if isinstance(row, Branch) and row.is_open:
            self.post_message(self.Folded(row.group, is_open=False))
        elif row is not None and row.level:
            self._go_up(row)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """The line under the mouse is marked."""
        self.hover = self._line_at(event)

    def on_leave(self) -> None:
        """Nothing is marked any more."""
        self.hover = -1

    async def _on_click(self, event: events.Click) -> None:
        line = self._line_at(event)
        if line >= 0:
            event.stop()
            self.cursor = line
            self.action_choose()

    def _go_up(self, row: Row) -> None:
        for line in range(self.cursor - 1, -1, -1):
            above = self._outline.row(line)
            if isinstance(above, Branch) and above.level < row.level:
                self.cursor = line
                return

    def _line_at(self, event: events.MouseEvent) -> int:
        offset = event.get_content_offset(self)
        if offset is None:
            return -1
        line = offset.y + round(self.scroll_offset.y)
        return line if line < len(self._outline) else -1

    def _sized(self, width: int) -> Look:
        look = self._look
        # One cell stays free beside the scroll bar.
        return Look(max(1, width - 1), time.time(), look.marks, look.words, look.is_flat)

    def _blank(self, y: int, width: int) -> Strip:
        text = self._empty if y == 0 and not len(self._outline) else ""
        style = self.get_visual_style("outline--empty")
        return Visual.to_strips(self, literal_line(text, width), width, 1, style)[0]

    def _refresh_line(self, line: int) -> None:
        y = line - round(self.scroll_offset.y)
        if 0 <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def _keep_in_sight(self) -> None:
        self.scroll_to_region(
            Region(INDENT, self.cursor, 1, 1), animate=False, force=True, x_axis=False
        )

    def _grow_older(self) -> None:
        """Only what reads differently now is sent to the terminal."""
        top = round(self.scroll_offset.y)
        look = self._sized(self.scrollable_content_region.width)
        for line in range(top, min(top + self.size.height, len(self._outline))):
            before = self._drawn.get(line)
            now = row_text(self._outline.row(line), look, is_lit=False).plain
            if before is not None and before != now:
                self._refresh_line(line)
