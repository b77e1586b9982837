"""The wiki as a page sees it: where its links lead, what it embeds, what its pictures are."""

from __future__ import annotations

import os

from tui.document.page import FoundPage, FoundPicture, LinkStatus
from tui.document.picture_header import HEADER_BYTES, PictureHeader, read_picture_header
from tui.pictures.source import MOST_BYTES, PictureSource, refusal
from tui.pictures.ways import PictureWay
from tui.widgets.wiki.attachments import find_attachment, is_note
from tui.wiki_session import WikiSession
from vault.confined import opened_place, read_regular
from vault.errors import VaultError
from vault.links.resolve import Found, Refused, Wanted
from vault.vault import Vault

_NOT_FOUND = "not found in the wiki"


class WikiLibrary:
    """Answers `status` from the latest listing; `page` and `picture` read files."""

    def __init__(self, session: WikiSession, vault: Vault) -> None:
        self._session = session
        self._vault = vault

    def status(self, target: str, from_path: str, is_wikilink: bool) -> LinkStatus:
        """Where a link leads; what is no page, or cannot be told at once, counts as known."""
        if not is_note(target, is_wikilink=is_wikilink) or not self._session.has_names:
            return LinkStatus.KNOWN
        try:
            found = self._session.resolve(target, from_path, is_wikilink)
        except VaultError:
            return LinkStatus.KNOWN
        match found:
            case Found() if found.is_ambiguous:
                return LinkStatus.AMBIGUOUS
            case Found() | Refused():
                return LinkStatus.KNOWN
            case Wanted():
                return LinkStatus.WANTED

    def page(self, target: str, from_path: str) -> FoundPage | None:
        """The page that an embed means."""
        try:
            found = self._session.resolve(target, from_path)
            if not isinstance(found, Found):
                return None
            text = self._vault.read(found.path).text
        except VaultError:
            return None
        return None if text is None else FoundPage(found.path, text)

    def picture(self, target: str, from_path: str) -> FoundPicture:
        """Format, size in pixels and in bytes of a picture, and where it is."""
        found = find_attachment(self._vault, target, from_path, HEADER_BYTES)
        if found is None:
            return FoundPicture(_NOT_FOUND)
        path, status, content = found
        return self._described(path, status, read_picture_header(content))

    def _described(
        self, path: str, status: os.stat_result, header: PictureHeader | None
    ) -> FoundPicture:
        if header is None:
            return FoundPicture("a file that zib cannot read as a picture")
        size = f"{header.width:,} × {header.height:,}"
        facts = f"{header.format} {size}, {_amount(status.st_size)}"
        refused = refusal(header, status.st_size)
        if refused:
            return FoundPicture(f"{facts}, {refused}")
        version = (status.st_mtime_ns, status.st_size)
        source = PictureSource(path, header.width, header.height, version)
        return FoundPicture(facts, None if self._session.pictures is PictureWay.OFF else source)

    def picture_content(self, path: str) -> bytes:
        """The bytes of a picture of the wiki."""
        try:
            with opened_place(self._vault.root, path) as place:
                return read_regular(place, MOST_BYTES)[1]
        except (VaultError, ValueError) as error:
            raise FileNotFoundError(path) from error


def _amount(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1024:,.0f} KiB"
