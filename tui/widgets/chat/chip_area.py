"""A text box in which a big paste is a chip: a few letters that stand for all of it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.document._document import Location
from textual.document._edit import Edit
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from tui.text.content import literal
from tui.widgets.chat.pastes import Pastes, is_big

_CHIP_STYLE = "reverse"


class ChipArea(TextArea):
    """Opens a chip by a click, or by its key behind it; `has_chips` turns them off."""

    def __init__(self, placeholder: str, id: str | None = None) -> None:
        self.pastes = Pastes()
        self.has_chips = True
        super().__init__(
            id=id,
            soft_wrap=True,
            highlight_cursor_line=False,
            compact=True,
            placeholder=literal(placeholder),
        )
        self.cursor_blink = False

    @property
    def full_text(self) -> str:
        """What would be sent: the text with what its chips stand for."""
        return self.pastes.expanded(self.text)

    def set_text(self, text: str) -> None:
        """Replace what stands in the box, cursor at the end."""
        is_chip = self.has_chips and is_big(text)
        self.text = self.pastes.chip_for(self.pastes.expanded(text)) if is_chip else text
        self.move_cursor(self.document.end)

    def _undo_batch(self, edits: Sequence[Edit]) -> None:
        # Textual scrolls to the cursor before it is back in a text that is shorter now.
        self._leave_end()
        super()._undo_batch(edits)

    def _redo_batch(self, edits: Sequence[Edit]) -> None:
        self._leave_end()
        super()._redo_batch(edits)

    def _leave_end(self) -> None:
        self.set_reactive(TextArea.selection, Selection.cursor((0, 0)))

    async def _on_paste(self, event: events.Paste) -> None:
        # Textual passes on what was pasted twice, and would put it in each time.
        event.stop()
        event.prevent_default()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        self.insert_pasted(text)

    def action_paste(self) -> None:
        """Paste from Textual's own clipboard."""
        self.insert_pasted(self.app.clipboard)

    def insert_pasted(self, text: str) -> None:
        """Put a text at the cursor, as a chip when it is big."""
        shown = self.pastes.chip_for(text) if self.has_chips and is_big(text) else text
        if result := self._replace_via_keyboard(shown, *self.selection):
            self.move_cursor(result.end_location)
            self.focus()

    async def on_click(self, event: events.Click) -> None:
        """A click on a chip opens it."""
        if self.selection.is_empty:
            self.open_chip(self.get_target_document_location(event), is_behind=False)

    def action_delete_left(self) -> None:
        """Backspace behind a chip deletes all of it."""
        row, column = self.cursor_location
        for start, end in self.pastes.spans(self.document.get_line(row)):
            if self.selection.is_empty and start < column <= end:
                self.delete((row, start), (row, end))
                return
        super().action_delete_left()

    def get_line(self, line_index: int) -> Text:
        """A line with its chips marked."""
        line = super().get_line(line_index)
        for start, end in self.pastes.spans(line.plain):
            line.stylize(_CHIP_STYLE, start, end)
        return line

    def open_chip(self, place: Location, is_behind: bool) -> bool:
        """Put the text of the chip at a place in its stead; whether there is one."""
        row, column = place
        line = self.document.get_line(row)
        for start, end in self.pastes.spans(line):
            if start <= column < end + is_behind:
                text = self.pastes.text_of(line[start:end])
                self.move_cursor(self.replace(text, (row, start), (row, end)).end_location)
                return True
        return False
