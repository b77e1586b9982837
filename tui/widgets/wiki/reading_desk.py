"""What the article view asks of the wiki: reading pages into documents, checking off tasks."""

from __future__ import annotations

import asyncio

from tui.document.document import Document, read_document
from tui.document.layout.code import prepare
from tui.document.page import LinkStatus, NoLibrary
from tui.document.task_edit import toggle_task
from tui.markdown.parser import IsKnown
from tui.pictures.ways import PictureWay
from tui.widgets.wiki.library import WikiLibrary
from tui.wiki_session import WikiSession
from vault.errors import EditRefused, ReadOnlyArticle
from vault.files import ArticleFile
from vault.saving import Outcome
from vault.vault import Vault

# What may be seen at first; other languages are loaded when their code comes into sight.
_LANGUAGES_AT_ONCE = 2
_BLOCKS_SEEN_FIRST = 40
# Reading it loads what reading any page needs.
_ANY_PAGE = "# A page\n\n```python\n```\n"


class ReadingDesk:
    """Works on the wiki of one session."""

    def __init__(self, session: WikiSession) -> None:
        self._session = session

    async def read(self, file: ArticleFile) -> Document:
        """The document of an article that is text. Raises VaultError."""
        return await self._read(file.text or "", file.path)

    async def _read(self, text: str, path: str) -> Document:
        def read(vault: Vault) -> Document:
            document = read_document(text, path, WikiLibrary(self._session, vault))
            prepare(document.languages(_BLOCKS_SEEN_FIRST)[:_LANGUAGES_AT_ONCE])
            return document

        return await self._session.ask(read)

    @property
    def pictures(self) -> PictureWay:
        """How pictures are drawn."""
        return self._session.pictures

    @property
    def knows_links(self) -> bool:
        """Whether it can be told by now where links lead."""
        return self._session.has_names

    async def wait_for_links(self) -> None:
        """Return when it can be told."""
        await self._session.wait_for_names()

    async def toggle(self, file: ArticleFile, line: int) -> ArticleFile:
        """Check off the task on a line, or open it again; the article as saved.

        Raises VaultError with what the user can do about it.
        """
        if file.read_only_reason is not None:
            raise ReadOnlyArticle(f"This task cannot be changed: {file.read_only_reason}.")
        changed = toggle_task(file.text or "", line)
        if changed is None:
            raise EditRefused("This box is not one of a plain task; F4 opens the text.")
        written = await self._session.save(file.path, changed, file)
        if written.saved.outcome is Outcome.CONFLICT_COPY:
            raise EditRefused(
                "The article changed on disk meanwhile; the task was saved in a copy beside it."
            )
        return written.saved.file


class _Known(NoLibrary):
    def __init__(self, is_known: IsKnown) -> None:
        self._is_known = is_known

    def status(self, target: str, from_path: str, is_wikilink: bool) -> LinkStatus:
        """Known or wanted."""
        del from_path, is_wikilink
        return LinkStatus.KNOWN if self._is_known(target) else LinkStatus.WANTED


def warm_up() -> None:
    """Load what the first page would wait for. Call it in a thread."""
    prepare(read_document(_ANY_PAGE).languages(_BLOCKS_SEEN_FIRST))


async def read_alone(file: ArticleFile, is_known: IsKnown) -> Document:
    """The document of an article without its wiki: nothing is embedded."""
    return await asyncio.to_thread(read_document, file.text or "", file.path, _Known(is_known))
