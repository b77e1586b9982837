"""One article: its title, its rendered text, and its editor."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, Static

from tui.screens.question import Choice, QuestionScreen
from tui.text.content import literal_line
from tui.widgets.document.view import PlaceChanged
from tui.widgets.wiki.article import ArticleView
from tui.widgets.wiki.crumbs import Crumbs, crumbs_of
from tui.widgets.wiki.editor import ArticleEditor
from tui.widgets.wiki.reading_desk import ReadingDesk
from tui.widgets.wiki.trail import START, Place
from tui.widgets.wiki.wording import saved_line
from tui.wiki_session import WikiSession
from vault.errors import ArticleMissing, VaultError
from vault.files import ArticleFile
from vault.names import displayable, stem_of, title_of

SAVE = Choice("save", "Save", "primary")
DISCARD = Choice("discard", "Discard", "error")
STAY = Choice("stay", "Keep editing")


class ArticlePage(Vertical):
    """Shows or edits one article at a time; unsaved text is never replaced."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "screen.show_panel('contents')", "Contents", id="article-contents"),
        Binding("b", "screen.show_panel('backlinks')", "Backlinks", id="article-backlinks"),
        Binding("o", "screen.show_panel('links')", "Links", id="article-links"),
        Binding("m", "screen.show_panel('mentions')", "Mentions", id="article-mentions"),
        Binding("g", "screen.show_panel('graph')", "Graph", id="article-graph"),
        Binding("backspace", "screen.wiki_back", "Back", id="article-back"),
    ]

    class Saved(Message):
        """The article was saved, maybe as a new file."""

    class Shown(Message):
        """An article is on the screen, maybe as another version."""

        def __init__(self, file: ArticleFile) -> None:
            super().__init__()
            self.file = file

    class Read(Message):
        """The reader came to another heading."""

        def __init__(self, anchor: str) -> None:
            super().__init__()
            self.anchor = anchor

    def __init__(self, session: WikiSession, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self.file: ArticleFile | None = None

    def compose(self) -> ComposeResult:
        """Way and title above, text or editor below."""
        yield Crumbs(id="crumbs")
        yield Static(Content(""), id="article-title")
        with ContentSwitcher(initial="article", id="reading"):
            yield ArticleView(ReadingDesk(self._session), id="article")
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
    def place(self) -> Place:
        """What is at the top of the window."""
        reader = self._view.reader
        if reader.flow is None or not reader.flow.document.blocks:
            return START
        row = reader.scroll_offset.y
        block = reader.flow.block_at(row)
        return block, row - reader.flow.top(block)

    def is_showing(self, path: str) -> bool:
        """Whether this article is the one that is read now."""
        return self.file is not None and self.file.path == path and not self.is_editing

    def go_to_place(self, place: Place) -> None:
        """Scroll to where the reader was."""
        block, row = place
        self._view.reader.go_to_block(block, context=-row)

    def go_to(self, anchor: str, line: int) -> None:
        """Scroll to a heading, or to a line of the text; lines count from 1."""
        if anchor:
            self._view.go_to_anchor(anchor)
        elif line:
            self._view.go_to_source(line - 1)

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

    @on(PlaceChanged)
    def show_way(self, event: PlaceChanged) -> None:
        """Another heading is read."""
        event.stop()
        headings = self._view.headings
        here = next((each for each in headings if each.anchor == event.anchor), None)
        self._draw_way((here.text, here.anchor) if here is not None and here.level > 1 else None)
        self.post_message(self.Read(event.anchor))

    @on(ArticleView.TaskToggled)
    def follow_task(self, event: ArticleView.TaskToggled) -> None:
        """A task was checked off on the page itself."""
        if self.file is not None and self.file.path == event.file.path:
            self.file = event.file
        self.post_message(self.Saved())

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
        self._draw_way(None)
        self.post_message(self.Shown(file))

    def _draw_way(self, heading: tuple[str, str] | None) -> None:
        if self.file is not None:
            path = displayable(self.file.path)
            self.query_one(Crumbs).show(crumbs_of(path, title_of(stem_of(path)), heading))

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
