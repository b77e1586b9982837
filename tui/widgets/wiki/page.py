"""One article: its title, its rendered text, and its editor."""

from __future__ import annotations

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, Static

from tui.screens.question import Choice, QuestionScreen
from tui.text.content import literal_line
from tui.widgets.wiki.article import ArticleView
from tui.widgets.wiki.editor import ArticleEditor
from tui.widgets.wiki.wording import saved_line
from tui.wiki_session import WikiSession
from vault.errors import ArticleMissing, VaultError
from vault.files import ArticleFile

SAVE = Choice("save", "Save", "primary")
DISCARD = Choice("discard", "Discard", "error")
STAY = Choice("stay", "Keep editing")


class ArticlePage(Vertical):
    """Shows or edits one article at a time; unsaved text is never replaced."""

    class Saved(Message):
        """The article was saved, maybe as a new file."""

    def __init__(self, session: WikiSession, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self.file: ArticleFile | None = None

    def compose(self) -> ComposeResult:
        """Title above, text or editor below."""
        yield Static(Content(""), id="article-title")
        with ContentSwitcher(initial="article", id="reading"):
            yield ArticleView(id="article")
            yield ArticleEditor(id="editor")

    @property
    def is_editing(self) -> bool:
        """Whether the editor is open."""
        return self.query_one(ContentSwitcher).current == "editor"

    @property
    def has_unsaved_text(self) -> bool:
        """Whether leaving now would lose text."""
        return self.is_editing and self._editor.is_dirty

    @property
    def unsaved_text(self) -> tuple[str, str] | None:
        """The path and text of what is being edited, when leaving would lose it."""
        if not self.has_unsaved_text or self.file is None:
            return None
        return self.file.path, self._editor.text

    async def show(self, path: str) -> bool:
        """Show an article; false when it cannot be, or unsaved text is in the way."""
        if self.has_unsaved_text:
            self._complain("Save the text in the editor first (Ctrl+S), or leave it (Esc).")
            return False
        try:
            file = await self._session.read(path)
        except VaultError as error:
            self._complain(str(error))
            return False
        self.query_one(ContentSwitcher).current = "article"
        await self._draw(file)
        return True

    @property
    def line(self) -> int:
        """How many rows the article is scrolled down."""
        return round(self._view.scroll_y)

    def go_to_line(self, line: int) -> None:
        """Scroll to a row."""
        self._view.scroll_to(y=line, animate=False)

    def show_message(self, text: str) -> None:
        """Say why there is no article."""
        self._view.show_message(text)

    def focus_text(self) -> None:
        """Let the keys scroll the article."""
        self._view.focus()

    async def edit(self) -> None:
        """Open the editor; when it is open, leave it."""
        file = self.file
        if self.is_editing:
            await self.leave_editor()
        elif file is None:
            self._complain("Open an article first.")
        elif file.read_only_reason is not None:
            self._complain(f"This page cannot be edited: {file.read_only_reason}.")
        else:
            self._editor.take_up(file)
            self.query_one(ContentSwitcher).current = "editor"
            self._editor.focus()
            self._draw_title()

    async def take_outside_change(self) -> None:
        """The article changed on disk, maybe by our own save."""
        shown = self.file
        if shown is None:
            return
        try:
            file = await self._session.read(shown.path)
        except ArticleMissing:
            self._complain("This article was deleted on disk; saving it makes it anew.")
            return
        except VaultError as error:
            self._complain(str(error))
            return
        if file.sha256 == shown.sha256:
            return
        if self.has_unsaved_text:
            self._complain("This article changed on disk. Saving will merge both versions.")
        elif self.is_editing:
            self.file = file
            self._editor.take_up(file)
        else:
            await self._draw(file)

    @on(ArticleEditor.Changed)
    def show_dirty_mark(self) -> None:
        """Mark unsaved text in the title."""
        self._draw_title()

    @on(ArticleEditor.SaveAsked)
    async def save(self) -> bool:
        """Save and commit; whether that worked."""
        editor, base = self._editor, self._editor.base
        if base is None:
            return False
        text = editor.text
        try:
            written = await self._session.save(base.path, text, base)
        except VaultError as error:
            self._complain(str(error))
            return False
        self.file = written.saved.file
        if editor.text == text:
            editor.rebase(written.saved.file)
        else:
            # Typed on while the save ran: the new text builds on what was saved.
            editor.base = written.saved.file
        self._draw_title()
        self.notify(saved_line(written), markup=False)
        self.post_message(self.Saved())
        return True

    @on(ArticleEditor.LeaveAsked)
    async def leave_editor(self) -> None:
        """Back to reading, asking about unsaved text."""
        if self._editor.is_dirty:
            self._ask_about_unsaved_text()
        else:
            await self._close_editor()

    @work(exclusive=True, group="unsaved")
    async def _ask_about_unsaved_text(self) -> None:
        question = QuestionScreen("The text is not saved.", (SAVE, DISCARD, STAY))
        answer = await self.app.push_screen_wait(question)
        if answer == DISCARD.id or (answer == SAVE.id and await self.save()):
            await self._close_editor()

    async def _close_editor(self) -> None:
        self._editor.base = None
        self.query_one(ContentSwitcher).current = "article"
        if self.file is not None:
            await self.show(self.file.path)
        self.focus_text()

    async def _draw(self, file: ArticleFile) -> None:
        self.file = file
        await self._view.show(file, lambda target: self._session.knows(target, file.path))
        self._draw_title()

    def _draw_title(self) -> None:
        if self.file is not None:
            reading = " · read-only" if self.file.is_read_only else ""
            way = " ✎" if self.is_editing else reading
            mark = " ●" if self.has_unsaved_text else ""
            title = Content.assemble(literal_line(self.file.path), way, mark)
            self.query_one("#article-title", Static).update(title)

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)

    @property
    def _view(self) -> ArticleView:
        return self.query_one(ArticleView)

    @property
    def _editor(self) -> ArticleEditor:
        return self.query_one(ArticleEditor)
