"""The opened wiki for the screens: blocking vault calls in threads, one listing at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

from tui.in_use import InUse
from tui.pictures.ways import PictureWay
from vault.consent import Consents
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.history.commit import CommitResult
from vault.history.log import Revision
from vault.index.index import Progress
from vault.links.link import Link
from vault.links.resolve import Found, LinkResolver, Resolution
from vault.listing import VaultListing
from vault.root import WikiLocation
from vault.vault import Vault, open_vault
from vault.watch import WatchState, watch
from vault.written import Written

Answer = TypeVar("Answer")


class WikiSession:
    """Holds the vault, its latest listing and the resolver made from it."""

    def __init__(self, location: WikiLocation, pictures: PictureWay = PictureWay.OFF) -> None:
        self.location = location
        self.pictures = pictures
        self.root = location.root
        self._data_dir = location.data_dir
        self._consents = Consents(location.consents_dir)
        self._vault: Vault | None = None
        self._listing: VaultListing | None = None
        self._resolver: LinkResolver | None = None
        self._naming: asyncio.Task[None] | None = None
        self.changing = ""
        """The page that a screen of this window writes now, which tells of it itself."""
        self._in_use = InUse()
        self._is_settled = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether `open` succeeded."""
        return self._vault is not None

    @property
    def is_ours(self) -> bool:
        """Whether zib made this wiki; nothing changes by itself in any other folder."""
        return self._vault is not None and self._vault.is_ours

    async def open(self) -> VaultListing:
        """Open the wiki, making it on first use. Raises VaultError."""
        try:
            self._vault = await asyncio.to_thread(
                open_vault, self.root, self._consents, self._data_dir
            )
        finally:
            self._is_settled.set()
        return await self.refresh()

    async def ask_when_open(self, question: Callable[[Vault], Answer]) -> Answer:
        """As `ask`, for whoever may come before the wiki is open. Raises VaultError."""
        await self._is_settled.wait()
        return await self.ask(question)

    @property
    def listing(self) -> VaultListing | None:
        """The notes as they were last listed; None before the wiki is open."""
        return self._listing

    @property
    def is_index_ready(self) -> bool:
        """Whether the index answers at once."""
        return self._vault is not None and self._vault.is_index_ready

    @property
    def index_progress(self) -> Progress | None:
        """How far the index has come while somebody waits for it."""
        return None if self._vault is None else self._vault.index_progress

    @property
    def needs_consent(self) -> bool:
        """Whether the folder is somebody's, who has not let zib write to it."""
        return self._vault is not None and not self._vault.is_writable

    async def agree(self, pages_folder: str) -> None:
        """Let zib write to the folder. Raises VaultError."""
        await asyncio.to_thread(self._require().agree, pages_folder)

    async def recover(self) -> CommitResult:
        """Commit what a crash or another program left uncommitted. Raises VaultError."""
        return await asyncio.to_thread(self._require().recover)

    async def refresh(self) -> VaultListing:
        """List the notes anew. Raises VaultError."""
        vault = self._require()
        listing = await asyncio.to_thread(vault.listing)
        self._listing = listing
        resolver = await asyncio.to_thread(vault.resolver, listing)
        self._resolver = resolver
        # Many files may be read for the names: neither the list nor the keyboard waits for that.
        self._naming = asyncio.create_task(asyncio.to_thread(resolver.load))
        return listing

    async def read(self, path: str) -> ArticleFile:
        """Read one note. Raises VaultError."""
        return await asyncio.to_thread(self._require().read, path)

    async def save(self, path: str, text: str, base: ArticleFile) -> Written:
        """Save and commit one note. Raises VaultError."""
        return await asyncio.to_thread(self._require().save, path, text, base)

    async def create(self, title: str) -> Written:
        """Create and commit an article. Raises VaultError."""
        return await asyncio.to_thread(self._require().create, title)

    async def log(self, path: str) -> tuple[Revision, ...]:
        """The revisions of a note, newest first. Raises VaultError."""
        return await asyncio.to_thread(self._require().log, path)

    async def changes(
        self, stop: asyncio.Event, on_state: Callable[[WatchState], object]
    ) -> AsyncGenerator[frozenset[str], None]:
        """Sets of notes that changed on disk, until `stop`; at first an empty one.

        What changed before that first set is not in any: look at everything then.
        """
        is_ready = asyncio.Event()
        news: asyncio.Queue[frozenset[str] | None] = asyncio.Queue()

        async def follow() -> None:
            try:
                async for changed in watch(self.root, stop, is_ready.set, on_state):
                    news.put_nowait(changed)
            finally:
                is_ready.set()
                news.put_nowait(None)

        following = asyncio.create_task(follow())
        try:
            await is_ready.wait()
            if self._vault is not None:
                # What came between the index's reading and the watcher's is in neither.
                await asyncio.to_thread(self._vault.doubt_index)
            yield frozenset()
            while (changed := await news.get()) is not None:
                if self._vault is not None:
                    await asyncio.to_thread(self._vault.note_changes, changed)
                yield changed
            await following
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def close(self) -> None:
        """Let go of the wiki once what is asked of it now is answered; nothing more can be."""
        vault, self._vault = self._vault, None
        if vault is not None:
            await asyncio.to_thread(self._in_use.wait)
            await asyncio.to_thread(vault.close)

    async def ask(self, question: Callable[[Vault], Answer]) -> Answer:
        """Run `question` on the vault in a thread. Raises VaultError and what it raises."""
        vault = self._require()

        def answer() -> Answer:
            with self._in_use:
                return question(vault)

        return await asyncio.to_thread(answer)

    @property
    def has_names(self) -> bool:
        """Whether a link can be resolved without reading what every note is called."""
        return self._resolver is not None and self._resolver.is_loaded

    async def wait_for_names(self) -> None:
        """Return when `has_names` has become true."""
        if self._naming is not None:
            await asyncio.shield(self._naming)

    def resolve(self, target: str, from_path: str, is_wikilink: bool = True) -> Resolution:
        """What a link leads to, by the latest listing. Raises VaultError."""
        if self._resolver is None:
            raise VaultError("The wiki is still being opened; try again in a moment.")
        page, mark, fragment = target.partition("#")
        link = Link(
            start=0,
            end=0,
            place=(0, 0),
            target=page.strip(),
            fragment=fragment.strip() if mark else None,
            label="",
            is_embed=False,
            form="wikilink" if is_wikilink else "markdown",
        )
        return self._resolver.follow(link, from_path)

    def knows(self, target: str, from_path: str) -> bool:
        """Whether a wikilink leads to a page that exists."""
        return isinstance(self.resolve(target, from_path), Found)

    def _require(self) -> Vault:
        if self._vault is None:
            raise VaultError("The wiki is not open.")
        return self._vault
