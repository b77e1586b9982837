"""A text area over an exact document: coloured by lines, a paste put in once."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.document._document import EditResult, Location
from textual.document._edit import Edit
from textual.widgets import TextArea

from tui.widgets.wiki.editing.document import ExactDocument
from tui.widgets.wiki.editing.lines import LineStates, coloured, is_in_code
from tui.widgets.wiki.editing.wrapping import LONG_LINE, LongLine, QuickWrappedDocument

# Behind so many characters of one line colours cost more than they tell.
MOST_COLOURED_LINE = 20_000


class ExactEdit(Edit):
    """An edit whose line breaks are meant as they are."""


class SourceArea(TextArea):
    """Edits Markdown; only what was edited has other bytes afterwards."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "source--heading",
        "source--mark",
        "source--code",
        "source--link",
        "source--strong",
        "source--emphasis",
        "source--tag",
        "source--quiet",
        "source--quote",
        "source--found",
    }

    def __init__(self, id: str | None = None) -> None:
        self._states = LineStates()
        self.found: tuple[tuple[int, int], ...] = ()
        super().__init__(
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="indent",
            highlight_cursor_line=False,
        )
        self.cursor_blink = False

    @property
    def exact(self) -> ExactDocument:
        """The document, as what it is."""
        assert isinstance(self.document, ExactDocument)
        return self.document

    def _set_document(self, text: str, language: str | None) -> None:
        # Textual's own would be one that loses line breaks, or one that parses at every key.
        del language
        self._highlight_query = None
        self._states = LineStates()
        self.document = ExactDocument(text)
        self.wrapped_document = QuickWrappedDocument(self.document, tab_width=self.indent_width)
        self.navigator = type(self.navigator)(self.wrapped_document)
        self._build_highlight_map()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit; what is typed or pasted gets the line breaks of the document."""
        if not isinstance(edit, ExactEdit):
            edit.text = self.exact.as_written(edit.text)
        self._states.forget_from(edit.top[0])
        if "\r" not in edit.text:
            return super().edit(edit)
        # Textual's history ends a step at a line break, of which it only knows one kind.
        self.history.checkpoint()
        result = super().edit(edit)
        self.history.checkpoint()
        return result

    def undo(self) -> None:
        """Take the last step back."""
        self._states.forget_from(0)
        super().undo()

    def redo(self) -> None:
        """Make the step again."""
        self._states.forget_from(0)
        super().redo()

    def recolour(self) -> None:
        """Draw anew what is coloured otherwise now."""
        self._line_cache.clear()
        self.refresh()

    def put(self, start: Location, end: Location, text: str) -> None:
        """Put `text` between two places as one step that can be undone; the cursor stays."""
        self.history.checkpoint()
        self.edit(ExactEdit(text, start, end, maintain_selection_offset=True))
        self.history.checkpoint()

    def swap_text(self, text: str) -> None:
        """Make it hold another text as one step, touching only the lines that differ."""
        if text != self.text:
            self.put(*self.exact.difference(text))

    def is_code_at(self, location: Location) -> bool:
        """Whether a place is in code, in the properties, or in another thing that is no prose."""
        row, column = location
        around = self._states.at(self.document.lines, row)
        return is_in_code(self.document.get_line(row), column, around)

    def get_line(self, line_index: int) -> Text:
        """A line with its colours."""
        line = self.document.get_line(line_index)
        kind = LongLine if len(line) > LONG_LINE else Text
        text = kind(line, end="", no_wrap=True)
        if len(line) <= MOST_COLOURED_LINE:
            around = self._states.at(self.document.lines, line_index)
            for part in coloured(line, around):
                text.stylize(self._style(part.role), part.start, part.end)
        if self.found:
            self._mark_found(text, line_index, len(line))
        return text

    def _mark_found(self, text: Text, row: int, length: int) -> None:
        start = self.exact.get_index_from_location((row, 0))
        for first, last in self.found:
            if first <= start + length and last > start:
                text.stylize(self._style("found"), max(first - start, 0), last - start)

    def _style(self, role: str) -> Style:
        return self.get_component_rich_style(f"source--{role}", partial=True)

    async def _on_paste(self, event: events.Paste) -> None:
        # It would bubble to the app, which hands it back: pasted twice.
        event.stop()
        event.prevent_default()
        self.paste_text(event.text)

    def paste_text(self, text: str) -> None:
        """Put a pasted text in the place of the selection."""
        if self.read_only:
            return
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)
            self.focus()
