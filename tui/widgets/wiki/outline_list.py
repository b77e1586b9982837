"""The lines of the tree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from tui.widgets.line_list import LineList
from tui.widgets.wiki.outline import TOP, Branch, Outline, Row
from tui.widgets.wiki.outline_groups import Group
from tui.widgets.wiki.outline_row import Look, Marks, row_text

AGE_SECONDS = 30.0


class OutlineList(LineList, can_focus=True):
    """Shows an outline with a cursor. It folds nothing itself: it says what the user wants."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "move_page(-1)", "Page up", show=False),
        Binding("pagedown", "move_page(1)", "Page down", show=False),
        Binding("home", "move_to(0)", "Top", show=False),
        Binding("end", "move_to(-1)", "End", show=False),
        Binding("left", "fold", "Close", show=False),
        Binding("right", "unfold", "Open", show=False),
        Binding("enter", "choose", "Choose", show=False),
        Binding("space", "toggle_group", "Open or close", show=False),
    ]

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
        self._look = Look(1, 0.0, Marks())

    @property
    def row(self) -> Row | None:
        """What the cursor stands on."""
        return self._outline.row(self.cursor) if len(self._outline) else None

    def on_mount(self) -> None:
        """Ages grow while nothing happens."""
        self.set_interval(AGE_SECONDS, self._grow_older)

    def show(
        self, outline: Outline, look: Look, key: tuple[str, str] | None = None, empty: str = ""
    ) -> None:
        """Draw other lines; the cursor stays on what it stood on, or goes to the line of `key`."""
        before = self.row
        height_of_cursor = self.cursor - round(self.scroll_offset.y)
        wanted = key or (before.key if before is not None else TOP)
        line = outline.line_of(wanted)
        place = line if line is not None else self.cursor if key is None else 0
        self._outline, self._look = outline, look
        self.show_rows(len(outline), place, empty)
        if key is None:
            self.scroll_to(y=self.cursor - height_of_cursor, animate=False, immediate=True)
        self.keep_in_sight()

    def restyle(self, look: Look) -> None:
        """The same lines look different."""
        self._look = look
        self.redraw()

    def go_to_page(self, path: str) -> None:
        """Put the cursor on the first line of a page, if it has one."""
        line = self._outline.line_of_page(path)
        if line is not None:
            self.set_reactive(OutlineList.cursor, line)
            self.redraw()
            if not self.is_cursor_seen:
                self.keep_in_sight(is_centred=True)

    def go_to_first_page(self) -> None:
        """Put the cursor on the first page that is seen."""
        self.cursor = self._outline.first_page_line

    def draw_row(self, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        """A group or a page."""
        look = replace(self._look, width=width, now=time.time())
        return (row_text(self._outline.row(row), look, is_lit),)

    def choose(self) -> None:
        """A click does what Enter does."""
        self.action_choose()

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

    def _go_up(self, row: Row) -> None:
        for line in range(self.cursor - 1, -1, -1):
            above = self._outline.row(line)
            if isinstance(above, Branch) and above.level < row.level:
                self.cursor = line
                return

    def _grow_older(self) -> None:
        """Only what reads differently now is sent to the terminal."""
        width = max(1, self.scrollable_content_region.width - 1)
        for row, before in list(self._drawn.items()):
            if self.draw_row(row, width, is_lit=False)[0].plain != before[0].plain:
                self.redraw_row(row)
