"""The wiki pane: tree, open article, what stands around it, and the ways between them."""

from __future__ import annotations

import asyncio
import contextlib

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Container

from tui.messages import WikiOpened, WikiWanted
from tui.screens.wiki.desk import WikiDesk
from tui.screens.wiki.editor_desk import EditorDesk
from tui.screens.wiki.finding import Finding
from tui.screens.wiki.hands import Hands
from tui.screens.wiki.kept_desk import KeptDesk
from tui.screens.wiki.page_desk import PageDesk
from tui.widgets.wiki.around import AroundArticle
from tui.widgets.wiki.consent import ConsentDesk
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.editing.place import EditingPlace
from tui.widgets.wiki.links import LinkDesk
from tui.widgets.wiki.page import ArticlePage
from tui.widgets.wiki.panel.side import SidePanel
from tui.widgets.wiki.reading_desk import warm_up
from tui.widgets.wiki.side_desk import SideDesk
from tui.widgets.wiki.tally import Tally
from tui.widgets.wiki.tree import WikiTree
from tui.widgets.wiki.ways import Ways
from tui.widgets.wiki.window_memory import WindowMemory
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.history.commit import Committed
from vault.listing import VaultListing

FIRST_PAGE = "articles/Welcome.md"


class WikiPane(AroundArticle):
    """Opens the wiki and keeps up with changes on disk; its parts do the rest."""

    def __init__(self, session: WikiSession) -> None:
        super().__init__(id="wiki-content")
        self.session = session
        self._stop_watching = asyncio.Event()
        self._tally = Tally(
            self,
            session,
            lambda facts: self.post_message(WikiOpened(facts)),
            lambda paths: self.query_one(WikiTree).show_uncommitted(paths),
        )
        self.ways = Ways(lambda: self._page, self._show_around)
        self.consent = ConsentDesk(self, session, self._show_again)
        self.finding = Finding(
            session,
            self._open_found,
            self.create,
            lambda: self.ways.visited,
            lambda: self.post_message(WikiWanted()),
        )
        self.links = LinkDesk(self, session, self.ways.open, self._create, lambda: self.open_file)
        self._memory = WindowMemory(session.location.data_dir)
        self.side = SideDesk(self, self._memory, self.links, self._open_at)
        hands = Hands(
            self,
            self.consent,
            self._open_at,
            self.create,
            self.refresh_listing,
            lambda: self.open_file,
            lambda: self.ways.visited,
            lambda path_after: self.query_one(WikiTree).follow_renames(path_after),
        )
        self.desk = WikiDesk(session, hands)
        self.pages = PageDesk(
            session, hands, self.desk, self.edit, lambda: self._page.has_unsaved_text
        )
        self.writing = EditorDesk(
            session,
            hands,
            self.pages,
            lambda: self.editing,
            self._edit_file,
        )
        self.kept = KeptDesk(session, hands, lambda: self.editing, self._edit_file)

    def compose(self) -> ComposeResult:
        """Tree, and beside it the article with what stands around it."""
        yield WikiTree(self.session, id="tree")
        with Container(id="wiki-main"):
            yield ArticlePage(self.session, id="page")
            yield SidePanel(self.session, id="panel")

    def on_unmount(self) -> None:
        """Let the watcher end."""
        self._stop_watching.set()

    def on_resize(self, event: events.Resize) -> None:
        """The panel is beside the article where there is room for it."""
        self.side.arrange(event.size.width, event.size.height)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where there are few lines, the part with the keys gets them."""
        above = {node.id for node in event.widget.ancestors_with_self}
        for part in ("tree", "page", "panel"):
            self.set_class(part in above, f"-at-{part}")

    @property
    def has_unsaved_text(self) -> bool:
        """Whether leaving now would lose text."""
        return self._page.has_unsaved_text

    @property
    def editing(self) -> EditingPlace:
        """Where the article is edited."""
        return self._page.editing

    @work(exclusive=True, group="wiki-open")
    async def open_wiki(self) -> None:
        """Open the wiki in the background and keep it up to date."""
        try:
            listing = self.session.listing or await self.session.open()
        except VaultError as error:
            self._page.show_message(str(error))
            return
        self._show_listing(listing)
        await asyncio.to_thread(self._memory.keep_opened, self.session.root)
        await asyncio.to_thread(warm_up)
        if self._page.is_empty and any(note.path == FIRST_PAGE for note in listing.notes):
            await self.ways.open(FIRST_PAGE)
        if not self.session.needs_consent:
            await self._recover()
        await self.kept.tell_drafts()
        self._tally.start()
        changes = self.session.changes(self._stop_watching, self._tally.show_watching)
        async with contextlib.aclosing(changes):
            async for changed in changes:
                await self.refresh_listing()
                if not self.query(ArticlePage):
                    return
                if self._page.file is not None and self._page.file.path in changed:
                    await self._page.take_outside_change()

    async def edit(self) -> None:
        """Edit the open article, or leave the editor."""
        if self.session.needs_consent:
            self.consent.run(self._page.edit)
        else:
            await self._page.edit()

    async def save(self) -> bool:
        """Save what is in the editor; whether that worked. Call from a worker."""
        return await self.editing.save()

    async def create(self, title: str) -> None:
        """Create an article and edit it. Call from a worker: it may ask."""
        try:
            await self.pages.make_and_edit(title)
        except VaultError as error:
            self._complain(str(error))

    async def refresh_listing(self) -> None:
        """Look at what notes there are, and at what stands around the open one."""
        try:
            listing = await self.session.refresh()
        except VaultError as error:
            self._complain(str(error))
        else:
            # The window may have been closed meanwhile.
            if not self.query(WikiTree):
                return
            self._show_listing(listing)
        self.query_one(SidePanel).renew()

    @on(WikiTree.NoteChosen)
    async def open_chosen(self, event: WikiTree.NoteChosen) -> None:
        """A note was chosen in the tree."""
        event.stop()
        await self._open_found(event.path, "")

    @on(ArticleEditor.ExtractAsked)
    def extract(self, event: ArticleEditor.ExtractAsked) -> None:
        """What is selected is to be an article of its own."""
        event.stop()
        self.writing.extract()

    @on(ArticlePage.Saved)
    async def follow_save(self) -> None:
        """A save may have made a new file."""
        await self.refresh_listing()

    async def _open_at(self, path: str, anchor: str, line: int) -> None:
        if await self.ways.open(path, anchor, line):
            self._page.focus_text()

    async def _open_found(self, path: str, anchor: str) -> None:
        await self._open_at(path, anchor, 0)

    def _create(self, title: str) -> None:
        self.run_worker(self.create(title), group="wiki-create", exclusive=True)

    async def _show_around(self, path: str) -> None:
        self.query_one(WikiTree).reveal(path)

    def _edit_file(self, file: ArticleFile) -> None:
        self._page.edit_file(file)

    async def _show_again(self) -> None:
        if self._page.file is not None:
            await self._page.show(self._page.file.path)

    async def _recover(self) -> None:
        try:
            result = await self.session.recover()
        except VaultError as error:
            self._complain(str(error))
            return
        if isinstance(result, Committed):
            self.notify("Changes made outside zib were committed.", markup=False)

    def _show_listing(self, listing: VaultListing) -> None:
        self.query_one(WikiTree).show_listing(listing)
        self._tally.show_notes(len(listing.notes))

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)
