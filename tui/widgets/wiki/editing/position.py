"""The line below the editor: where the cursor is, and how much there is."""

from __future__ import annotations

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from tui.widgets.wiki.editing.editor import ArticleEditor

# Words are counted when nobody has typed for so long.
_SECONDS = 0.4


class PositionLine(Static):
    """Line and column from 1, words, and what is to be known before a save."""

    def __init__(self, editor: ArticleEditor, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self._editor = editor
        self._words = 0
        self._warning = ""
        self._timer: Timer | None = None

    def show(self, *, is_text_new: bool) -> None:
        """The cursor moved, or the text is another one."""
        if is_text_new:
            if self._timer is not None:
                self._timer.stop()
            self._timer = self.set_timer(_SECONDS, self._count)
        self._draw()

    def warn(self, text: str) -> None:
        """Say something until it is taken back with an empty text."""
        self._warning = text
        self._draw()

    def _count(self) -> None:
        self._timer = None
        self._words = len(self._editor.text.split())
        self._draw()

    def _draw(self) -> None:
        row, column = self._editor.cursor_location
        selected = len(self._editor.selected_text)
        chosen = f" · {selected:,} selected" if selected else ""
        place = f"line {row + 1:,}, column {column + 1:,}{chosen} · {self._words:,} words"
        mark = Content("● ").stylize("$unsaved-mark") if self._editor.is_dirty else Content("")
        # First: what a narrow window cuts off must not be this.
        warning = Content(f"{self._warning} · " if self._warning else "").stylize("$text-warning")
        self.update(Content.assemble(mark, warning, place))
