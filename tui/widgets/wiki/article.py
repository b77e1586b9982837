"""Shows one article."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.document.document import Document, OutlineEntry
from tui.markdown.parser import IsKnown
from tui.text.content import literal
from tui.widgets.document.find_bar import ArticleFindBar
from tui.widgets.document.pointing import pointed_text
from tui.widgets.document.reader import DocumentReader
from tui.widgets.wiki.reading_desk import ReadingDesk, read_alone
from vault.errors import VaultError
from vault.files import ArticleFile


class ArticleView(Vertical):
    """The rendered text of an article, or the reason why there is none."""

    DEFAULT_CSS: ClassVar[str] = """
    ArticleView { layers: text over; }
    ArticleView > #article-document { height: 1fr; }
    ArticleView > #article-pointed {
        layer: over; dock: bottom; height: auto; max-height: 4; padding: 0 1; display: none;
        background: $panel; color: $foreground-muted;
    }
    """

    class TaskToggled(Message):
        """A task was checked off or opened again; `file` is the article as saved."""

        def __init__(self, file: ArticleFile) -> None:
            super().__init__()
            self.file = file

    def __init__(self, desk: ReadingDesk | None = None, id: str | None = None) -> None:
        super().__init__(id=id)
        self._desk = desk
        self._file: ArticleFile | None = None

    def compose(self) -> ComposeResult:
        """A document, a text in its place, a line about the link pointed at, and what to find."""
        yield Static(Content("Choose an article on the left."), id="article-plain")
        yield DocumentReader(id="article-document")
        yield Static(Content(""), id="article-pointed")
        yield ArticleFindBar(id="article-find")

    def on_mount(self) -> None:
        """There is no document yet."""
        self.reader.display = False
        if self._desk is not None:
            self.reader.pictures.way = self._desk.pictures

    @property
    def reader(self) -> DocumentReader:
        """The document on the screen."""
        return self.query_one(DocumentReader)

    @property
    def headings(self) -> tuple[OutlineEntry, ...]:
        """The headings of the article: level, text, anchor, and line from 0."""
        return self.reader.headings

    async def show(self, file: ArticleFile, is_known: IsKnown) -> None:
        """Draw the article as it is in `file`, from its first line unless it is shown already."""
        if file.text is None:
            self.show_message(f"This file cannot be shown: {file.read_only_reason}.")
            return
        try:
            document = await (self._desk.read(file) if self._desk else read_alone(file, is_known))
        except VaultError as error:
            self.show_message(str(error))
            return
        knows_links = self._desk is None or self._desk.knows_links
        self._put(file, document)
        if not knows_links:
            self._draw_links_later()

    def _put(self, file: ArticleFile, document: Document) -> None:
        is_same = self._file is not None and self._file.path == file.path
        self._file = file
        self._plain.display, self.reader.display = False, True
        self.query_one("#article-pointed").display = False
        self.query_one(ArticleFindBar).close()
        self.reader.show_document(document, keeps_place=is_same)

    @work(exclusive=True, group="links")
    async def _draw_links_later(self) -> None:
        """Draw anew once it is known where the links lead."""
        if self._desk is not None:
            await self._desk.wait_for_links()
            self.reader.lay_out_anew()

    def show_message(self, text: str) -> None:
        """Say why there is no article."""
        self._file = None
        self._plain.update(literal(text))
        self._plain.display, self.reader.display = True, False

    def go_to_anchor(self, fragment: str) -> bool:
        """Go to what a link's fragment names: an anchor, a heading or `^block`."""
        return self.reader.go_to_anchor(fragment)

    def go_to_source(self, line: int) -> None:
        """Go to what is written on a line of the article, counted from 0."""
        flow = self.reader.flow
        if flow is not None:
            blocks = enumerate(flow.document.blocks)
            own = [i for i, each in blocks if each.page.path == flow.document.path]
            above = [i for i in own if flow.document.blocks[i].line <= line]
            self.reader.go_to_block(above[-1] if above else 0, context=2)

    def focus(self, scroll_visible: bool = True) -> ArticleView:
        """Let the keys scroll the article."""
        self.reader.focus(scroll_visible)
        return self

    @on(DocumentReader.TaskAsked)
    async def toggle_task(self, event: DocumentReader.TaskAsked) -> None:
        """Check off a task of this very article."""
        event.stop()
        file = self._file
        if file is None or self._desk is None:
            return
        if event.box.path != file.path:
            self._complain("This task is on another page, which is only shown here.")
            return
        try:
            saved = await self._desk.toggle(file, event.box.line)
            if self._file is not file:
                return
            self._file = saved
            self.reader.show_document(await self._desk.read(saved), keeps_place=True)
        except VaultError as error:
            self._complain(str(error))
            return
        self.post_message(self.TaskToggled(saved))

    @on(DocumentReader.Pointed)
    def show_pointed(self, event: DocumentReader.Pointed) -> None:
        """Say what the link is."""
        event.stop()
        line = self.query_one("#article-pointed", Static)
        flow = self.reader.flow
        line.display = event.target is not None
        if event.target is not None and flow is not None:
            line.update(literal(pointed_text(event.target, flow)))

    @on(DocumentReader.FindAsked)
    def open_find(self, event: DocumentReader.FindAsked) -> None:
        """Ask what to find."""
        event.stop()
        self.query_one("#article-pointed").display = False
        self.query_one(ArticleFindBar).open()

    @on(DocumentReader.Found)
    def show_found(self, event: DocumentReader.Found) -> None:
        """Say how many there are."""
        event.stop()
        self.query_one(ArticleFindBar).tell(event.here, event.count)

    @on(ArticleFindBar.Typed)
    def find(self, event: ArticleFindBar.Typed) -> None:
        """Find as it is typed."""
        event.stop()
        self.reader.find(event.text)

    @on(ArticleFindBar.Left)
    def leave_find(self, event: ArticleFindBar.Left) -> None:
        """Back to reading; the matches stay when there was something to find."""
        event.stop()
        if not event.keeps_matches:
            self.reader.find("")
        self.reader.focus()

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)

    @property
    def _plain(self) -> Static:
        return self.query_one("#article-plain", Static)
