"""The wiki as a page sees it: where its links lead, what it embeds, what its pictures are."""

from __future__ import annotations

import posixpath

from tui.document.page import FoundPage, LinkStatus
from tui.document.picture_header import HEADER_BYTES, read_picture_header
from tui.wiki_session import WikiSession
from vault.confined import opened_place, read_regular
from vault.errors import VaultError
from vault.links.link import Link, LinkForm
from vault.links.resolve import Found, Refused, Wanted
from vault.links.scan import leads_to_note
from vault.vault import Vault

_NOT_FOUND = "not found in the wiki"


class WikiLibrary:
    """Answers `status` from the latest listing; `page` and `picture_facts` read files."""

    def __init__(self, session: WikiSession, vault: Vault) -> None:
        self._session = session
        self._vault = vault

    def status(self, target: str, from_path: str, is_wikilink: bool) -> LinkStatus:
        """Where a link leads; what is no page, or cannot be told at once, counts as known."""
        if not _is_note(target, is_wikilink) or not self._session.has_names:
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

    def picture_facts(self, target: str, from_path: str) -> str:
        """Format, size in pixels and in bytes of a picture."""
        for path in self._places(target.partition("#")[0], from_path):
            try:
                with opened_place(self._vault.root, path) as place:
                    status, content = read_regular(place, HEADER_BYTES)
            except (OSError, VaultError, ValueError):
                continue
            header = read_picture_header(content)
            if header is None:
                return "a file that zib cannot read as a picture"
            return (
                f"{header.format} {header.width:,} × {header.height:,}, {_amount(status.st_size)}"
            )
        return _NOT_FOUND

    def _places(self, target: str, from_path: str) -> list[str]:
        """Where a picture may be: beside the page, in the attachments folder, at the top."""
        folder = posixpath.dirname(from_path)
        attachments = self._vault.conventions.attachments_folder
        if attachments.startswith("./"):
            attachments = posixpath.join(folder, attachments)
        places = (posixpath.join(each, target) for each in (folder, attachments, ""))
        plain = (posixpath.normpath(each).lstrip("/") for each in places)
        return [each for each in dict.fromkeys(plain) if not each.startswith("..")]


def _is_note(target: str, is_wikilink: bool) -> bool:
    page, mark, fragment = target.partition("#")
    form: LinkForm = "wikilink" if is_wikilink else "markdown"
    return leads_to_note(Link(0, 0, (0, 0), page, fragment if mark else None, "", False, form))


def _amount(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1024:,.0f} KiB"
