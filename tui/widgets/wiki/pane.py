"""The wiki pane: the tree of notes, the open article, and the ways between them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical

from tui.messages import WikiOpened
from tui.screens.consent import ConsentScreen
from tui.screens.pick import PickScreen
from tui.screens.question import Choice, QuestionScreen
from tui.widgets.wiki.page import ArticlePage
from tui.widgets.wiki.trail import Trail
from tui.widgets.wiki.tree import WikiTree
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.history.commit import Committed
from vault.links.link import Link
from vault.links.resolve import Found, Refused, Wanted
from vault.links.scan import find_links
from vault.listing import VaultListing

CREATE = Choice("create", "Create", "primary")
NOT_NOW = Choice("no", "Not now")
FIRST_PAGE = "articles/Welcome.md"


class WikiPane(Vertical):
    """Opens the wiki, follows its links and keeps up with changes on disk."""

    def __init__(self, session: WikiSession) -> None:
        super().__init__(id="wiki-content")
        self._session = session
        self._trail = Trail()
        self._stop_watching = asyncio.Event()

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
        async for changed in self._session.changes(self._stop_watching):
            await self._refresh()
            if self._page.file is not None and self._page.file.path in changed:
                await self._page.take_outside_change()

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

    async def follow_from_list(self) -> None:
        """Choose one of the open article's links by key."""
        file = self._page.file
        if file is None or not file.text:
            self._complain("Open an article first.")
            return
        links = [link for link in find_links(file.text) if link.target or link.fragment]
        if links:
            self._choose_link(file.path, links)
        else:
            self._complain("There are no links on this page.")

    async def open_article(self, path: str) -> None:
        """Show a note."""
        if await self._page.show(path):
            self._trail.visit(path)
            self.query_one(WikiTree).reveal(path)

    async def go_back(self) -> None:
        """The article before this one."""
        await self._go(self._trail.back())

    async def go_forward(self) -> None:
        """The article after this one."""
        await self._go(self._trail.forward())

    async def edit(self) -> None:
        """Edit the open article, or leave the editor."""
        if self._session.needs_consent:
            self._ask_for_consent(self._page.edit)
        else:
            await self._page.edit()

    async def save(self) -> bool:
        """Save what is in the editor; whether that worked."""
        return await self._page.save()

    async def create(self, title: str) -> None:
        """Create an article and edit it."""
        if self._session.needs_consent:
            self._ask_for_consent(lambda: self.create(title))
            return
        try:
            written = await self._session.create(title)
        except VaultError as error:
            self._complain(str(error))
            return
        await self._refresh()
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
        await self._refresh()

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

    @work(exclusive=True, group="wiki-ask")
    async def _ask_for_consent(self, then: Callable[[], Awaitable[None]]) -> None:
        """Before the first change of a folder that was there before zib."""
        folder = await self.app.push_screen_wait(ConsentScreen(self._session.root))
        if folder is None:
            return
        try:
            await self._session.agree(folder)
        except VaultError as error:
            self._complain(str(error))
            return
        if self._page.file is not None:
            await self._page.show(self._page.file.path)
        await then()

    async def _go(self, path: str | None) -> None:
        if path is not None and await self._page.show(path):
            self.query_one(WikiTree).reveal(path)

    async def _refresh(self) -> None:
        try:
            self._show_listing(await self._session.refresh())
        except VaultError as error:
            self._complain(str(error))

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
        self.post_message(WikiOpened(len(listing.notes), self._session.is_ours))

    def _complain(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False)

    @property
    def _page(self) -> ArticlePage:
        return self.query_one(ArticlePage)
