"""Edits one article's text."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from vault.files import ArticleFile

MOST_HIGHLIGHTED_LINES = 2000


class ArticleEditor(TextArea):
    """A text area that knows which version of the file it started from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", id="save-article", tooltip="Save and commit"),
        Binding("escape", "leave", "Done", id="leave-editor", tooltip="Leave the editor"),
        Binding("ctrl+home", "document_start", show=False),
        Binding("ctrl+end", "document_end", show=False),
    ]

    class SaveAsked(Message):
        """The user wants the text saved."""

    class LeaveAsked(Message):
        """The user wants out of the editor."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="indent",
            highlight_cursor_line=False,
        )
        self.cursor_blink = False
        self.base: ArticleFile | None = None

    def take_up(self, file: ArticleFile) -> None:
        """Take up an article."""
        text = file.text or ""
        self.language = "markdown" if text.count("\n") < MOST_HIGHLIGHTED_LINES else None
        self.load_text(text)
        self._opened_as = self.text
        self.base = file

    def rebase(self, file: ArticleFile) -> None:
        """The text was saved as `file`, which may hold merged changes of others."""
        self.base = file
        if file.text is not None and file.text != self.text:
            place = self.cursor_location
            self.load_text(file.text)
            self.move_cursor(place)
        self._opened_as = self.text

    @property
    def is_dirty(self) -> bool:
        """Whether there is unsaved text."""
        return self.base is not None and self.text != self._opened_as

    async def _on_key(self, event: events.Key) -> None:
        # Textual's text area takes Escape for itself, to move the focus.
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            self.action_leave()

    def action_document_start(self) -> None:
        """To the first character."""
        self.move_cursor((0, 0))

    def action_document_end(self) -> None:
        """Behind the last character."""
        self.move_cursor(self.document.end)

    def action_save(self) -> None:
        """Ctrl+S."""
        self.post_message(self.SaveAsked())

    def action_leave(self) -> None:
        """Escape."""
        self.post_message(self.LeaveAsked())
