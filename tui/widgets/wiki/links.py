"""Following the links of the open article: by name, from a list, to a page that is wanted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.widget import Widget

from tui.document.picture_header import HEADER_BYTES, read_picture_header
from tui.screens.pick import PickScreen
from tui.screens.question import Choice, QuestionScreen
from tui.screens.wiki.outside import file_programs, offer_programs
from tui.text.content import literal_line
from tui.widgets.wiki.attachments import find_attachment, is_note
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.links.link import Link
from vault.links.resolve import Found, Refused, Wanted
from vault.links.scan import find_links

CREATE = Choice("create", "Create", "primary")
NOT_NOW = Choice("no", "Not now")
Open = Callable[[str, str], Awaitable[object]]
"""Opens a page by its path, at a heading when one is named."""


class LinkDesk:
    """`owner` runs the questions; `find_open` is the article they are about."""

    def __init__(
        self,
        owner: Widget,
        session: WikiSession,
        open_page: Open,
        create: Callable[[str], object],
        find_open: Callable[[], ArticleFile | None],
    ) -> None:
        self._owner = owner
        self._session = session
        self._open = open_page
        self._create = create
        self._find_open = find_open

    async def follow(self, target: str, from_path: str, is_wikilink: bool) -> None:
        """Open what a link leads to; offer to create a page that does not exist."""
        try:
            resolution = self._session.resolve(target, from_path, is_wikilink)
        except VaultError as error:
            self._complain(str(error))
            return
        match resolution:
            case Found(path=path, candidates=candidates, fragment=fragment):
                if len(candidates) > 1:
                    self._owner.notify(f"{len(candidates)} notes are called that.", markup=False)
                await self._open(path, fragment or "")
            case Wanted() if not is_note(target, is_wikilink=is_wikilink):
                offer = self._offer_file(target, from_path)
                self._owner.run_worker(offer, group="wiki-ask", exclusive=True)
            case Wanted(name=name):
                self._owner.run_worker(self._offer(name), group="wiki-ask", exclusive=True)
            case Refused(reason=reason):
                self._complain(reason)

    async def choose(self) -> None:
        """Choose one of the open article's links by key."""
        file = self._find_open()
        if file is None or not file.text:
            self._complain("Open an article first.")
            return
        links = [link for link in find_links(file.text) if link.target or link.fragment]
        if links:
            choosing = self._choose(file.path, links)
            self._owner.run_worker(choosing, group="wiki-ask", exclusive=True)
        else:
            self._complain("There are no links on this page.")

    async def _choose(self, path: str, links: list[Link]) -> None:
        labels = [link.label or link.target for link in links]
        screen = PickScreen("Links on this page", labels)
        chosen = await self._owner.app.push_screen_wait(screen)
        if chosen is not None:
            link = links[chosen]
            target = link.target if link.fragment is None else f"{link.target}#{link.fragment}"
            await self.follow(target, path, link.is_wikilink)

    async def _offer_file(self, target: str, from_path: str) -> None:
        try:
            found = await self._session.ask(
                lambda vault: find_attachment(vault, target, from_path, HEADER_BYTES)
            )
        except VaultError as error:
            self._complain(str(error))
            return
        shown = literal_line(target).plain
        if found is None:
            self._complain(f"There is no file “{shown}” in the wiki.")
            return
        path, _status, content = found
        can_open = file_programs(self._session.root / path, read_picture_header(content))
        await offer_programs(self._owner.app, can_open, shown)

    async def _offer(self, name: str) -> None:
        question = QuestionScreen(f"There is no page “{name}” yet.", (CREATE, NOT_NOW))
        if await self._owner.app.push_screen_wait(question) == CREATE.id:
            self._create(name)

    def _complain(self, text: str) -> None:
        self._owner.notify(text, severity="warning", markup=False)
