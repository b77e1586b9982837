"""The wiki pane: tree, article and editor over one wiki session."""

from __future__ import annotations

import asyncio

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import ContentSwitcher, Static

from tui.messages import WikiOpened
from tui.screens.pick import PickScreen
from tui.screens.question import Choice, QuestionScreen
from tui.text.content import literal_line
from tui.widgets.wiki.article import ArticleView
from tui.widgets.wiki.editor import ArticleEditor
from tui.widgets.wiki.trail import Trail
from tui.widgets.wiki.tree import WikiTree
from tui.widgets.wiki.wording import saved_line
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.history.commit import Committed
from vault.links import Link, find_links
from vault.resolve import Found, Refused, Wanted

SAVE = Choice("save", "Save", "primary")
DISCARD = Choice("discard", "Discard", "error")
STAY = Choice("stay", "Keep editing")
CREATE = Choice("create", "Create", "primary")
NOT_NOW = Choice("no", "Not now")
FIRST_PAGE = "articles/Welcome.md"


class WikiPane(Vertical):
    """Shows and edits the memory wiki."""

    def __init__(self, session: WikiSession) -> None:
        super().__init__(id="wiki-content")
        self._session = session
        self._trail = Trail()
        self._file: ArticleFile | None = None
        self._stop_watching = asyncio.Event()

    def compose(self) -> ComposeResult:
        """Tree above, article or editor below."""
        yield WikiTree(id="tree")
        with Vertical(id="page"):
            yield Static(Content(""), id="article-title")
            with ContentSwitcher(initial="article", id="reading"):
                yield ArticleView(id="article")
                yield ArticleEditor(id="editor")

    def on_unmount(self) -> None:
        """Let the watcher end."""
        self._stop_watching.set()

    @work(exclusive=True, group="wiki-open")
    async def open_wiki(self) -> None:
        """Open the wiki in the background and keep it up to date."""
        try:
            listing = await self._session.open()
        except VaultError as error:
            self._article.show_message(str(error))
            return
        self._tree.show_listing(listing)
        self.post_message(WikiOpened(len(listing.notes), self._session.is_ours))
        if self._file is None and any(note.path == FIRST_PAGE for note in listing.notes):
            await self.open_article(FIRST_PAGE)
        if self._session.is_ours:
            await self._recover()
        await self._watch()

    async def follow(self, target: str, from_path: str, is_wikilink: bool) -> None:
        """Open what a link leads to; offer to create a page that does not exist."""
        try:
            resolution = self._session.resolve(target, from_path, is_wikilink)
        except VaultError as error:
            self._complain(str(error))
            return
        match resolution:
            case Found(path=path, candidates=candidates):
                if len(candidates) > 1:
                    self.notify(f"{len(candidates)} notes are called that.", markup=False)
                await self.open_article(path)
            case Wanted(name=name):
                self._offer_to_create(name)
            case Refused(reason=reason):
                self._complain(reason)

    async def open_article(self, path: str) -> None:
        """Show a note, unless unsaved text is in the way."""
        if self.is_editing:
            if self._editor.is_dirty:
                self._complain("Save the text in the editor first (Ctrl+S), or leave it (Esc).")
                return
            self._show("article")
        if await self._read(path):
            self._trail.visit(path)

    async def go_back(self) -> None:
        """The article before this one."""
        await self._go(self._trail.back())

    async def go_forward(self) -> None:
        """The article after this one."""
        await self._go(self._trail.forward())

    async def follow_from_list(self) -> None:
        """Choose one of the open article's links by key."""
        if self._file is None or not self._file.text:
            self._complain("Open an article first.")
            return
        links = [link for link in find_links(self._file.text) if link.target or link.fragment]
        if links:
            self._choose_link(self._file.path, links)
        else:
            self._complain("There are no links on this page.")

    async def edit(self) -> None:
        """Edit the open article."""
        if self.is_editing:
            await self.leave_editor()
            return
        file = self._file
        if file is None:
            self._complain("Open an article first.")
        elif file.read_only_reason is not None:
            self._complain(f"This page cannot be edited: {file.read_only_reason}.")
        else:
            self._editor.take_up(file)
            self._show("editor")
            self._editor.focus()

    async def create(self, title: str) -> None:
        """Create an article and edit it."""
        try:
            written = await self._session.create(title)
            self._tree.show_listing(await self._session.refresh())
        except VaultError as error:
            self._complain(str(error))
            return
        await self.open_article(written.saved.file.path)
        await self.edit()

    @property
    def is_editing(self) -> bool:
        """Whether the editor is open."""
        return self.query_one(ContentSwitcher).current == "editor"

    @property
    def has_unsaved_text(self) -> bool:
        """Whether leaving now would lose text."""
        return self.is_editing and self._editor.is_dirty

    @on(WikiTree.NoteChosen)
    async def open_chosen(self, event: WikiTree.NoteChosen) -> None:
        """A note was chosen in the tree."""
        event.stop()
        await self.open_article(event.path)
        self._article.focus()

    @on(ArticleEditor.Changed)
    def show_dirty_mark(self) -> None:
        """Mark unsaved text in the title."""
        self._draw_title()

    @on(ArticleEditor.SaveAsked)
    async def save_article(self) -> None:
        """Save and commit."""
        await self._save()

    @on(ArticleEditor.LeaveAsked)
    async def leave_editor(self) -> None:
        """Back to reading, asking about unsaved text."""
        if not self._editor.is_dirty:
            await self._back_to_reading()
            return
        self._ask_about_unsaved_text()

    @work(exclusive=True, group="wiki-ask")
    async def _ask_about_unsaved_text(self) -> None:
        question = QuestionScreen("The text is not saved.", (SAVE, DISCARD, STAY))
        answer = await self.app.push_screen_wait(question)
        if answer == SAVE.id:
            if await self._save():
                await self._back_to_reading()
        elif answer == DISCARD.id:
            await self._back_to_reading()

    @work(exclusive=True, group="wiki-ask")
    async def _choose_link(self, path: str, links: list[Link]) -> None:
        labels = [link.label or link.target for link in links]
        chosen = await self.app.push_screen_wait(PickScreen("Links on this page", labels))
        if chosen is not None:
            link = links[chosen]
            target = link.target if link.fragment is None else f"{link.target}#{link.fragment}"
            await self.follow(target, path, link.is_wikilink)

    @work(exclusive=True, group="wiki-ask")
    async def _offer_to_create(self, name: str) -> None:
        question = QuestionScreen(f"There is no page “{name}” yet.", (CREATE, NOT_NOW))
        if await self.app.push_screen_wait(question) == CREATE.id:
            await self.create(name)

    async def _save(self) -> bool:
        editor = self._editor
        if editor.base is None:
            return False
        text = editor.text
        try:
            written = await self._session.save(editor.base.path, text, editor.base)
            self._tree.show_listing(await self._session.refresh())
        except VaultError as error:
            self._complain(str(error))
            return False
        self._file = written.saved.file
        if editor.text == text:
            editor.rebase(written.saved.file)
        else:
            # Typed on while the save ran: the new text now builds on what was saved.
            editor.base = written.saved.file
        self._draw_title()
        self.notify(saved_line(written), markup=False)
        return True

    async def _back_to_reading(self) -> None:
        path = self._file.path if self._file else None
        self._editor.base = None
        self._show("article")
        if path is not None:
            await self._read(path)
        self._article.focus()

    async def _go(self, path: str | None) -> None:
        if path is not None and not self.has_unsaved_text:
            self._show("article")
            await self._read(path)

    async def _read(self, path: str) -> bool:
        try:
            file = await self._session.read(path)
        except VaultError as error:
            self._complain(str(error))
            return False
        self._file = file
        await self._article.show(file, lambda target: self._is_known(target, path))
        self._draw_title()
        return True

    def _is_known(self, target: str, from_path: str) -> bool:
        return isinstance(self._session.resolve(target, from_path), Found)

    async def _recover(self) -> None:
        try:
            result = await self._session.recover()
        except VaultError as error:
            self._complain(str(error))
            return
        if isinstance(result, Committed):
            self.notify("Changes made outside zib were committed.", markup=False)

    async def _watch(self) -> None:
        async for changed in self._session.changes(self._stop_watching):
            try:
                listing = await self._session.refresh()
            except VaultError as error:
                self._complain(str(error))
                continue
            self._tree.show_listing(listing)
            self.post_message(WikiOpened(len(listing.notes), self._session.is_ours))
            if self._file is not None and self._file.path in changed:
                await self._take_outside_change(self._file)

    async def _take_outside_change(self, shown: ArticleFile) -> None:
        try:
            file = await self._session.read(shown.path)
        except VaultError as error:
            self._complain(str(error))
            return
        if file.sha256 == shown.sha256:
            return
        if self.has_unsaved_text:
            self._complain("This article changed on disk. Saving will merge both versions.")
        elif self.is_editing:
            self._file = file
            self._editor.take_up(file)
        else:
            await self._read(file.path)

    def _draw_title(self) -> None:
        title = self.query_one("#article-title", Static)
        if self._file is None:
            return
        mark = " ●" if self.has_unsaved_text else ""
        way = " ✎" if self.is_editing else ""
        title.update(Content.assemble(literal_line(self._file.path), way, mark))

    def _show(self, which: str) -> None:
        self.query_one(ContentSwitcher).current = which

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)

    @property
    def _tree(self) -> WikiTree:
        return self.query_one(WikiTree)

    @property
    def _article(self) -> ArticleView:
        return self.query_one(ArticleView)

    @property
    def _editor(self) -> ArticleEditor:
        return self.query_one(ArticleEditor)
