"""Where an article is written: the text area, and what is beside and above it."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import OptionList

from tui.widgets.wiki.editing.completing import Completing
from tui.widgets.wiki.editing.drafts import DraftKeeper
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.editing.find_bar import FindBar
from tui.widgets.wiki.editing.popup import CompletionPopup
from tui.widgets.wiki.editing.position import PositionLine
from tui.widgets.wiki.editing.preview import Preview
from tui.widgets.wiki.editing.suggestions import Suggester
from tui.wiki_session import WikiSession
from vault.drafts import Draft

LEAST_WIDTH_BESIDE = 76


class WritingPlace(Vertical):
    """Follows what is typed: completions, drafts, the preview, the line below the text."""

    class Changed(Message):
        """The text is another one, or saved now."""

    def __init__(self, session: WikiSession, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self.drafts = DraftKeeper(self, session, self._draft)
        self.suggester = Suggester(session)
        self.editor = ArticleEditor(id="editor")
        self._popup = CompletionPopup(id="completions")
        self._position = PositionLine(self.editor, id="editor-position")
        self._completing = Completing(self, self.editor, self._popup, self.suggester)

    def compose(self) -> ComposeResult:
        """Find bar, text, position; the completions lie above all."""
        yield FindBar(self.editor, id="find-bar")
        with Horizontal(id="editor-row"):
            yield self.editor
        yield self._position
        yield self._popup

    @property
    def is_open(self) -> bool:
        """Whether an article is being edited."""
        return self.editor.base is not None

    @property
    def is_dirty(self) -> bool:
        """Whether leaving now would lose text."""
        return self.editor.is_dirty

    def toggle_preview(self) -> None:
        """Show the page beside its text, or no longer."""
        if not self.is_open:
            self._complain("Open the editor first (F4).")
            return
        found = list(self.query(Preview))
        if not found:
            self.query_one("#editor-row").mount(
                Preview(self.editor, self._session, "editor-preview")
            )
            return
        found[0].display = not found[0].display
        found[0].follow_text(is_late=False)

    def on_resize(self, event: events.Resize) -> None:
        """The preview is below the text where there is no room beside it."""
        self.set_class(event.size.width < LEAST_WIDTH_BESIDE, "-stacked")

    @on(ArticleEditor.Changed)
    def follow_text(self, event: ArticleEditor.Changed) -> None:
        """The text is another one."""
        if event.text_area is not self.editor:
            return
        event.stop()
        if self.is_open:
            if self.is_dirty:
                self.drafts.note_typing()
            self._completing.look()
        self._position.show(is_text_new=True)
        for preview in self.query(Preview):
            preview.follow_text()
        self.post_message(self.Changed())

    @on(ArticleEditor.SelectionChanged)
    def follow_cursor(self, event: ArticleEditor.SelectionChanged) -> None:
        """The cursor moved."""
        event.stop()
        if self.editor.is_choosing:
            self._completing.look()
        self._position.show(is_text_new=False)
        for preview in self.query(Preview):
            preview.follow_cursor()

    @on(ArticleEditor.PopupKey)
    def move_in_popup(self, event: ArticleEditor.PopupKey) -> None:
        """A key for the list of completions."""
        event.stop()
        self._completing.take_key(event.key)

    @on(OptionList.OptionSelected, "#completions")
    def take_clicked(self, event: OptionList.OptionSelected) -> None:
        """A completion was clicked."""
        event.stop()
        self._completing.choose()
        self.editor.focus()

    @on(ArticleEditor.FindAsked)
    def find(self, event: ArticleEditor.FindAsked) -> None:
        """Find, or go to a line."""
        event.stop()
        self.query_one(FindBar).open(is_line=event.is_line)

    def _draft(self) -> Draft | None:
        editor, base = self.editor, self.editor.base
        if base is None or not editor.is_dirty:
            return None
        line, column = editor.cursor_location
        return Draft(path=base.path, base=base.text, text=editor.text, line=line, column=column)

    def _warn(self, text: str) -> None:
        self._position.warn(text)

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)
