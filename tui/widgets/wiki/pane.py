"""The wiki pane: tree, open article, what stands around it, and the ways between them."""

from __future__ import annotations

import asyncio
import contextlib

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical

from tui.messages import WikiOpened, WikiWanted
from tui.screens.wiki.finding import Finding
from tui.widgets.wiki.consent import ConsentDesk
from tui.widgets.wiki.links import LinkDesk
from tui.widgets.wiki.page import ArticlePage
from tui.widgets.wiki.tally import Tally
from tui.widgets.wiki.trail import Trail, Visit
from tui.widgets.wiki.tree import WikiTree
from tui.wiki_facts import WikiFacts
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.history.commit import Committed
from vault.listing import VaultListing

FIRST_PAGE = "articles/Welcome.md"


class WikiPane(Vertical):
    """Opens the wiki, follows its links and keeps up with changes on disk."""

    def __init__(self, session: WikiSession) -> None:
        super().__init__(id="wiki-content")
        self._session = session
        self._trail = Trail()
        self._stop_watching = asyncio.Event()
        self._tally = Tally(self, session, self._tell_facts, self._tell_uncommitted)
        self.consent = ConsentDesk(self, session, self._show_again)
        self.finding = Finding(
            session,
            self._open_found,
            self.create,
            lambda: self._trail.visited,
            lambda: self.post_message(WikiWanted()),
        )
        self.links = LinkDesk(
            self, session, self.open_article, self._create, lambda: self._page.file
        )

    def compose(self) -> ComposeResult:
        """Tree and article."""
        yield WikiTree(self._session, id="tree")
        yield ArticlePage(self._session, id="page")

    def on_unmount(self) -> None:
        """Let the watcher end."""
        self._stop_watching.set()

    @property
    def unsaved_text(self) -> tuple[str, str] | None:
        """The path and text of an article being edited, when leaving would lose it."""
        return self._page.unsaved_text

    @property
    def open_file(self) -> ArticleFile | None:
        """The article that is open."""
        return self._page.file

    @work(exclusive=True, group="wiki-open")
    async def open_wiki(self) -> None:
        """Open the wiki in the background and keep it up to date."""
        try:
            listing = await self._session.open()
        except VaultError as error:
            self._page.show_message(str(error))
            return
        self._show_listing(listing)
        if self._page.file is None and any(note.path == FIRST_PAGE for note in listing.notes):
            await self.open_article(FIRST_PAGE)
        if not self._session.needs_consent:
            await self._recover()
        self._tally.start()
        changes = self._session.changes(self._stop_watching, self._tally.show_watching)
        async with contextlib.aclosing(changes):
            async for changed in changes:
                await self.refresh_listing()
                if self._page.file is not None and self._page.file.path in changed:
                    await self._page.take_outside_change()

    async def open_article(self, path: str, anchor: str = "") -> None:
        """Show a note, at a heading when one is named."""
        self._trail.leave_at(self._page.line)
        if await self._page.show(path):
            self._trail.visit(path)
            self.query_one(WikiTree).reveal(path)

    async def go_back(self) -> None:
        """The article before this one."""
        self._trail.leave_at(self._page.line)
        await self._go(self._trail.back())

    async def go_forward(self) -> None:
        """The article after this one."""
        self._trail.leave_at(self._page.line)
        await self._go(self._trail.forward())

    async def edit(self) -> None:
        """Edit the open article, or leave the editor."""
        if self._session.needs_consent:
            self.consent.run(self._page.edit)
        else:
            await self._page.edit()

    async def save(self) -> bool:
        """Save what is in the editor; whether that worked."""
        return await self._page.save()

    async def create(self, title: str) -> None:
        """Create an article and edit it."""
        if self._session.needs_consent:
            self.consent.run(lambda: self.create(title))
            return
        try:
            written = await self._session.create(title)
        except VaultError as error:
            self._complain(str(error))
            return
        await self.refresh_listing()
        await self.open_article(written.saved.file.path)
        await self.edit()

    @on(WikiTree.NoteChosen)
    async def open_chosen(self, event: WikiTree.NoteChosen) -> None:
        """A note was chosen in the tree."""
        event.stop()
        await self.open_article(event.path)
        self._page.focus_text()

    @on(ArticlePage.Saved)
    async def follow_save(self) -> None:
        """A save may have made a new file."""
        await self.refresh_listing()

    async def refresh_listing(self) -> None:
        """Look at what notes there are."""
        try:
            self._show_listing(await self._session.refresh())
        except VaultError as error:
            self._complain(str(error))

    async def _open_found(self, path: str, anchor: str) -> None:
        await self.open_article(path, anchor)
        self._page.focus_text()

    def _create(self, title: str) -> None:
        self.run_worker(self.create(title), group="wiki-create", exclusive=True)

    async def _show_again(self) -> None:
        if self._page.file is not None:
            await self._page.show(self._page.file.path)

    async def _go(self, visit: Visit | None) -> None:
        if visit is not None and await self._page.show(visit.path):
            self._page.go_to_line(visit.line)
            self.query_one(WikiTree).reveal(visit.path)

    async def _recover(self) -> None:
        try:
            result = await self._session.recover()
        except VaultError as error:
            self._complain(str(error))
            return
        if isinstance(result, Committed):
            self.notify("Changes made outside zib were committed.", markup=False)

    def _show_listing(self, listing: VaultListing) -> None:
        self.query_one(WikiTree).show_listing(listing)
        self._tally.show_notes(len(listing.notes))

    def _tell_facts(self, facts: WikiFacts) -> None:
        self.post_message(WikiOpened(facts))

    def _tell_uncommitted(self, paths: tuple[str, ...]) -> None:
        self.query_one(WikiTree).show_uncommitted(paths)

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)

    @property
    def _page(self) -> ArticlePage:
        return self.query_one(ArticlePage)
