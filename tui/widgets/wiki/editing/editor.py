"""Edits one article's text: the keys of writing Markdown, and which version it started from."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.document._edit import Edit
from textual.geometry import Offset
from textual.message import Message
from textual.widgets.text_area import Selection

from tui.widgets.wiki.editing import writing
from tui.widgets.wiki.editing.keys import EDITOR_KEYS
from tui.widgets.wiki.editing.source_area import SourceArea
from tui.widgets.wiki.editing.writing import TextChange
from vault.files import ArticleFile

LineChange = Callable[[str], str]

_POPUP_KEYS = ("up", "down", "enter", "tab", "escape", "pageup", "pagedown")


class ArticleEditor(SourceArea):
    """A text area that knows which version of the file it started from."""

    BINDINGS: ClassVar[list[BindingType]] = [*EDITOR_KEYS]

    class SaveAsked(Message):
        """The user wants the text saved."""

    class LeaveAsked(Message):
        """The user wants out of the editor."""

    class FindAsked(Message):
        """The user wants to look for something, or for a line."""

        def __init__(self, is_line: bool = False) -> None:
            super().__init__()
            self.is_line = is_line

    class ExtractAsked(Message):
        """The selection is to be a page of its own."""

    class PopupKey(Message):
        """A key for the list of completions; `key` is one of a few."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.base: ArticleFile | None = None
        self.is_choosing = False
        self._opened_as = ""

    def take_up(self, file: ArticleFile) -> None:
        """Take up an article."""
        self.found = ()
        self.load_text(file.text or "")
        self._opened_as = self.text
        self.base = file

    def rebase(self, file: ArticleFile) -> None:
        """The text was saved as `file`, which may hold merged changes of others."""
        self.base = file
        if file.text is not None:
            self.swap_text(file.text)
        self._opened_as = self.text

    def build_on(self, file: ArticleFile) -> None:
        """What was typed on top of it stays, unsaved; a save compares with `file` from now on."""
        self.base = file
        self._opened_as = file.text or ""

    def close(self) -> None:
        """Nothing is edited any more."""
        self.base = None

    @property
    def is_dirty(self) -> bool:
        """Whether there is unsaved text."""
        return self.base is not None and self.text != self._opened_as

    @property
    def cursor_index(self) -> int:
        """The character the cursor stands before."""
        return self.exact.get_index_from_location(self.cursor_location)

    @property
    def popup_place(self) -> Offset:
        """Where on the screen a list for the cursor begins: below it."""
        return self.cursor_screen_offset + Offset(0, 1)

    async def _on_key(self, event: events.Key) -> None:
        if self.is_choosing and event.key in _POPUP_KEYS:
            self._take_key(event)
            self.post_message(self.PopupKey(event.key))
        elif event.key == "escape":
            # Textual's text area takes Escape for itself, to move the focus.
            self._take_key(event)
            self.action_leave()
        elif event.key == "enter" and self._continue_list():
            self._take_key(event)
        elif event.key == "tab" and self._is_list_selected():
            self._take_key(event)
            self._shift_lines(1)

    @staticmethod
    def _take_key(event: events.Key) -> None:
        event.stop()
        event.prevent_default()

    def paste_text(self, text: str) -> None:
        """Put a pasted text in the place of the selection; an address makes that a link."""
        if self.is_code_at(min(self.selection)):
            super().paste_text(text)
        else:
            super().paste_text(writing.pasted_over(self.selected_text, text) or text)

    def action_document_start(self) -> None:
        """To the first character."""
        self.move_cursor((0, 0))

    def action_document_end(self) -> None:
        """Behind the last character."""
        self.move_cursor(self.document.end)

    def action_save(self) -> None:
        """Save and commit."""
        self.post_message(self.SaveAsked())

    def action_leave(self) -> None:
        """Leave the editor."""
        self.post_message(self.LeaveAsked())

    def action_find(self) -> None:
        """Find and replace."""
        self.post_message(self.FindAsked())

    def action_go_to_line(self) -> None:
        """Go to a line."""
        self.post_message(self.FindAsked(is_line=True))

    def action_extract(self) -> None:
        """The selection as a page."""
        self.post_message(self.ExtractAsked())

    def action_bold(self) -> None:
        """Bold, or no longer."""
        self.change(writing.toggled_mark(self.text, *self._selected, "**"))

    def action_italic(self) -> None:
        """Italic, or no longer."""
        self.change(writing.toggled_mark(self.text, *self._selected, "*"))

    def action_code(self) -> None:
        """Code, or no longer."""
        self.change(writing.toggled_mark(self.text, *self._selected, "`"))

    def action_link(self) -> None:
        """A link, or no longer."""
        self.change(writing.linked(self.text, *self._selected))

    def action_task(self) -> None:
        """A task, done, or open again; each of the selected lines."""
        self._map_lines(writing.toggled_task)

    def action_outdent(self) -> None:
        """Selected lines to the left."""
        self._shift_lines(-1)

    def change(self, change: TextChange) -> None:
        """Make one change of the text and select what it says."""
        at = self.exact.get_location_from_index
        self.put(at(change.start), at(change.end), change.text)
        start, end = change.selected
        self.selection = Selection(
            self.exact.get_location_from_index(start), self.exact.get_location_from_index(end)
        )

    def insert_completion(self, start: int, end: int, text: str) -> None:
        """Put a completion in the place of what was typed on the line of the cursor."""
        row = self.cursor_location[0]
        self.history.checkpoint()
        self.edit(Edit(text, (row, start), (row, end), maintain_selection_offset=False))
        self.history.checkpoint()

    @property
    def _selected(self) -> tuple[int, int]:
        start, end = sorted(map(self.exact.get_index_from_location, self.selection))
        return start, end

    def _rows(self) -> range:
        (top, _), (bottom, right) = sorted(self.selection)
        # A selection that ends at the beginning of a line has nothing of it.
        return range(top, bottom + (right > 0 or bottom == top))

    def _is_list_selected(self) -> bool:
        (top, _), (bottom, _) = sorted(self.selection)
        if top != bottom:
            return True
        row, column = self.cursor_location
        line = self.document.get_line(row)
        is_at_text = column <= len(line)
        return is_at_text and writing.is_item(line) and not self.is_code_at((row, 0))

    def _shift_lines(self, steps: int) -> None:
        width = self.indent_width
        self._map_lines(lambda line: writing.indented(line, steps, width) if line else line)

    def _map_lines(self, change: LineChange) -> None:
        rows = self._rows()
        old = [self.document.get_line(row) for row in rows]
        new = [change(line) for line in old]
        if new == old:
            return
        start, end = (rows[0], 0), (rows[-1], len(old[-1]))
        before = self.selection
        breaks = [self.exact.break_after(row) for row in rows[:-1]]
        text = "".join(line + found for line, found in zip(new, [*breaks, ""], strict=True))
        self.put(start, end, text)
        grown = {row: len(b) - len(a) for row, a, b in zip(rows, old, new, strict=True)}

        def moved(place: tuple[int, int]) -> tuple[int, int]:
            row, column = place
            return row, max(column + grown.get(row, 0), 0)

        self.selection = Selection(moved(before.start), moved(before.end))

    def _continue_list(self) -> bool:
        if not self.selection.is_empty or self.is_code_at((self.cursor_location[0], 0)):
            return False
        row, column = self.cursor_location
        more = writing.continued(self.document.get_line(row), column)
        if more is None:
            return False
        if more:
            self._replace_via_keyboard(f"\n{more}", *self.selection)
        else:
            self._replace_via_keyboard("", (row, 0), (row, len(self.document.get_line(row))))
        return True
