"""Looking for pages from anywhere in the window: by name, or by what they say."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import time
from collections.abc import Awaitable, Callable, Sequence

from textual.app import App

from tui.newest import Newest
from tui.screens.wiki.found import CreatePage, Found, LookElsewhere, OpenPage
from tui.screens.wiki.search import SearchScreen
from tui.screens.wiki.switcher import Offered, Switcher
from tui.screens.wiki.switcher_rows import MOST_OFFERS, offers_of, recent_offers
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.listing import Note, VaultListing
from vault.search.jump import JumpNames, listed_names, without_weak
from vault.search.result import NamedPage, Results

MOST_RECENT = 30
OPENING_SECONDS, LOOK_AGAIN_SECONDS = 30.0, 0.1
"""How long a question waits for a wiki that is being opened."""

Open = Callable[[str, str], Awaitable[object]]
"""Opens a page by its path, at a heading when one is named."""


class Finding:
    """Remembers what was looked for; one for each opened wiki.

    `visited` are the articles that were open, the one that is open first.
    """

    def __init__(
        self,
        session: WikiSession,
        open_page: Open,
        create: Callable[[str], Awaitable[object]],
        visited: Callable[[], Sequence[str]],
        show_wiki: Callable[[], object],
    ) -> None:
        self._session = session
        self._open_page = open_page
        self._create = create
        self._visited = visited
        self._show_wiki = show_wiki
        self._offers = Newest(self._ask_offers)
        self._results = Newest(self._ask_results)
        self._name = ""
        self._words, self._place = "", 0
        self._preparing: asyncio.Task[None] | None = None
        self._listed: tuple[VaultListing, JumpNames] | None = None

    async def jump(self, app: App[None], words: str) -> None:
        """Let the user jump to a page by its name. Call from a worker."""
        screen = Switcher(self._offers.answer, words or self._name)
        found = await app.push_screen_wait(screen)
        # What was found is done with; what was not may be looked for again.
        self._name = "" if isinstance(found, OpenPage | CreatePage) else screen.words
        if isinstance(found, LookElsewhere):
            await self.search(app, found.words)
        else:
            await self._take(found)

    async def search(self, app: App[None], words: str) -> None:
        """Let the user search in the text of all pages. Call from a worker."""
        place = self._place if words in {"", self._words} else 0
        screen = SearchScreen(
            lambda asked, most: self._results.answer((asked, most)),
            self._read,
            lambda: self._session.index_progress,
            words or self._words,
            place,
        )
        found = await app.push_screen_wait(screen)
        self._words, self._place = screen.words, screen.place
        if isinstance(found, LookElsewhere):
            await self.jump(app, found.words)
        else:
            await self._take(found)

    async def named(self, words: str, most: int) -> tuple[NamedPage, ...]:
        """The pages whose names have the letters; their titles only, while others are being read.

        Raises VaultError.
        """
        listing = self._session.listing
        if listing is None:
            return ()
        if self._session.is_index_ready:
            found = await self._session.ask(lambda vault: vault.search.jump(words, most))
        else:
            self._prepare()
            found = await self._session.ask(lambda _: self._names(listing).find(words, most))
        return without_weak(found, words)

    async def show(self, path: str, anchor: str = "") -> None:
        """Open a page, at a heading when one is named, where it can be seen."""
        self._show_wiki()
        await self._open_page(path, anchor)

    async def _take(self, found: Found | None) -> None:
        match found:
            case OpenPage(path=path, anchor=anchor):
                await self.show(path, anchor)
            case CreatePage(title=title):
                self._show_wiki()
                await self._create(title)
            case _:
                return

    async def _ask_offers(self, words: str) -> Offered:
        listing = self._session.listing
        if listing is None:
            return Offered((), 0, "The wiki is still being opened.", is_whole=False)
        total = len(listing.notes)
        if not words.strip():
            return Offered(recent_offers(self._recent(listing)), total)
        is_ready = self._session.is_index_ready
        found = await self.named(words, MOST_OFFERS)
        remark = "" if is_ready else "Other names of the pages are still being read."
        offers = offers_of(found, words, not listing.is_ours)
        return Offered(offers, total, remark, is_ready)

    async def _ask_results(self, asked: tuple[str, int]) -> Results:
        words, most = asked
        deadline = time.monotonic() + OPENING_SECONDS
        while self._session.listing is None and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        return await self._session.ask(lambda vault: vault.search.find(words, most, is_typing=True))

    async def _read(self, path: str) -> str:
        return (await self._session.read(path)).text or ""

    def _prepare(self) -> None:
        """Have the index made ready, by one thread however often somebody asks."""
        if self._preparing is None or self._preparing.done():
            self._preparing = asyncio.create_task(self._opened_index())

    async def _opened_index(self) -> None:
        with contextlib.suppress(VaultError):
            await self._session.ask(lambda vault: vault.index)

    def _names(self, listing: VaultListing) -> JumpNames:
        if self._listed is None or self._listed[0] is not listing:
            self._listed = listing, listed_names(listing.notes)
        return self._listed[1]

    def _recent(self, listing: VaultListing) -> list[Note]:
        """What was open, the latest first, then what changed; the open page last of all."""
        notes = {note.path: note for note in listing.notes}
        visited = [path for path in self._visited() if path in notes]
        newest = heapq.nlargest(MOST_RECENT, listing.notes, key=lambda note: note.modified_ns)
        paths = [*visited[1:], *(note.path for note in newest), *visited[:1]]
        first = dict.fromkeys(path for path in paths if path not in visited[:1])
        return [notes[path] for path in (*list(first)[:MOST_RECENT], *visited[:1])]
