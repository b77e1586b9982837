"""The page as it will be read, beside its text."""

from __future__ import annotations

from dataclasses import replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from tui.newest import Newest
from tui.widgets.document.place import PlaceChanged
from tui.widgets.wiki.article import ArticleView
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.reading_desk import ReadingDesk
from tui.wiki_session import WikiSession
from vault.errors import EditRefused
from vault.files import ArticleFile

# Drawn anew when nobody has typed for so long.
_SECONDS = 0.25


class _PreviewDesk(ReadingDesk):
    async def toggle(self, file: ArticleFile, line: int) -> ArticleFile:
        """Tasks are changed in the text beside."""
        raise EditRefused("Change the task in the text beside: Alt+T.")


class Preview(Vertical):
    """Follows one editor; draws nothing while it is hidden."""

    def __init__(self, editor: ArticleEditor, session: WikiSession, id: str | None = None) -> None:
        super().__init__(id=id)
        self._editor = editor
        self._view = ArticleView(_PreviewDesk(session), id="preview-article")
        self._newest = Newest(self._draw)
        self._timer: Timer | None = None
        self._row = -1

    def compose(self) -> ComposeResult:
        """The article."""
        yield self._view

    def on_mount(self) -> None:
        """As it is now."""
        self.follow_text(is_late=False)

    def follow_text(self, *, is_late: bool = True) -> None:
        """The text is another one."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if not self.display:
            return
        if is_late:
            self._timer = self.set_timer(_SECONDS, self._ask)
        else:
            self._ask()

    def follow_cursor(self) -> None:
        """The cursor is on another line."""
        row = self._editor.cursor_location[0]
        if self.display and row != self._row:
            self._row = row
            self._view.go_to_source(row)

    @on(PlaceChanged)
    def keep_to_itself(self, event: PlaceChanged) -> None:
        """What is read here is not where the reader is."""
        event.stop()

    def _ask(self) -> None:
        base = self._editor.base
        if base is not None:
            file = replace(base, text=self._editor.text)
            self.run_worker(self._newest.answer(file), group="preview")

    async def _draw(self, file: ArticleFile) -> None:
        await self._view.show(file, lambda _: True)
        self._row = -1
        self.follow_cursor()
