"""One article: its title, its rendered text, and its editor."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, Static

from tui.text.content import literal_line
from tui.widgets.document.place import PlaceChanged
from tui.widgets.wiki.article import ArticleView
from tui.widgets.wiki.crumbs import Crumbs, crumbs_of
from tui.widgets.wiki.editing.place import EditingPlace
from tui.widgets.wiki.reading_desk import ReadingDesk
from tui.widgets.wiki.trail import START, Place
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.names import displayable, stem_of, title_of


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
        self._showing = asyncio.Lock()
        self._asked = 0

    def compose(self) -> ComposeResult:
        """Way and title above, text or editor below."""
        yield Crumbs(id="crumbs")
        yield Static(Content(""), id="article-title")
        with ContentSwitcher(initial="article", id="reading"):
            yield ArticleView(ReadingDesk(self._session), id="article")
            yield EditingPlace(self._session, id="editing")

    @property
    def is_editing(self) -> bool:
        """Whether the editor is open."""
        return self.query_one(ContentSwitcher).current == "editing"

    @property
    def has_unsaved_text(self) -> bool:
        """Whether leaving now would lose text."""
        return self.is_editing and self.editing.is_dirty

    @property
    def editing(self) -> EditingPlace:
        """Where the article is edited."""
        return self.query_one(EditingPlace)

    async def show(self, path: str) -> bool:
        """Show an article; false when it cannot be, or unsaved text is in the way."""
        if self.has_unsaved_text:
            self._complain("Save the text in the editor first (Ctrl+S), or leave it (Esc).")
            return False
        self._asked += 1
        asked = self._asked
        async with self._showing:
            # Of pages that are asked for at once only the last one is shown.
            return asked == self._asked and await self._show(path)

    async def _show(self, path: str) -> bool:
        try:
            file = await self._session.read(path)
        except VaultError as error:
            self._complain(str(error))
            return False
        self.query_one(ContentSwitcher).current = "article"
        await self._draw(file)
        return True

    @property
    def is_empty(self) -> bool:
        """Whether no article is open, and none is about to be."""
        return self.file is None and not self._asked

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
        # A page that was just put there is laid out first.
        self.call_after_refresh(self._view.reader.go_to_block, block, context=-row)

    def go_to(self, anchor: str, line: int) -> None:
        """Scroll to a heading, or to a line of the text; lines count from 1."""
        if anchor:
            self.call_after_refresh(self._view.go_to_anchor, anchor)
        elif line:
            self.call_after_refresh(self._view.go_to_source, line - 1)

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
            await self.editing.leave()
        elif file is None:
            self._complain("Open an article first.")
        elif file.read_only_reason is not None:
            self._complain(f"This page cannot be edited: {file.read_only_reason}.")
        else:
            self.edit_file(file, offers_draft=True)

    def edit_file(self, file: ArticleFile, *, offers_draft: bool = False) -> None:
        """Open the editor on an article, which need not be on the disk."""
        self.file = file
        self.query_one(ContentSwitcher).current = "editing"
        self.editing.open(file, offers_draft=offers_draft)
        self._draw_title()

    async def take_outside_change(self) -> None:
        """The article changed on disk, maybe by our own save."""
        shown = self.file
        if shown is None:
            return
        if self.is_editing:
            self.file = await self.editing.take_outside_change() or shown
            return
        try:
            file = await self._session.read(shown.path)
        except VaultError as error:
            self._complain(str(error))
            return
        if file.sha256 != shown.sha256:
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

    @on(EditingPlace.Changed)
    def show_dirty_mark(self) -> None:
        """Mark unsaved text in the title."""
        self._draw_title()

    @on(EditingPlace.Saved)
    def follow_save(self, event: EditingPlace.Saved) -> None:
        """A save may have made another file."""
        self.file = event.file
        self._draw_title()
        self.post_message(self.Saved())

    @on(EditingPlace.Left)
    async def read_again(self) -> None:
        """Back to reading."""
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
