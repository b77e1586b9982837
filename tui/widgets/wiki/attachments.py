"""Files of the wiki that are no pages: where a link or an embed finds them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

from vault.confined import opened_place, read_regular
from vault.errors import VaultError
from vault.links.link import Link, LinkForm
from vault.links.scan import leads_to_note
from vault.vault import Vault


def is_note(target: str, *, is_wikilink: bool) -> bool:
    """Whether a link means a page, and not a picture or another kind of file."""
    page, mark, fragment = target.partition("#")
    form: LinkForm = "wikilink" if is_wikilink else "markdown"
    return leads_to_note(Link(0, 0, (0, 0), page, fragment if mark else None, "", False, form))


def find_attachment(
    vault: Vault, target: str, from_path: str, most_bytes: int
) -> tuple[str, os.stat_result, bytes] | None:
    """The path of a file, what the system knows of it, and its first bytes. Reads the file."""
    for path in _places(vault, target.partition("#")[0], from_path):
        try:
            with opened_place(vault.root, path) as place:
                return path, *read_regular(place, most_bytes)
        except (OSError, VaultError, ValueError):
            continue
    return None


def _places(vault: Vault, target: str, from_path: str) -> Iterator[str]:
    """Where a file may be: beside the page, in the attachments folder, at the top."""
    folder = posixpath.dirname(from_path)
    attachments = vault.conventions.attachments_folder
    if attachments.startswith("./"):
        attachments = posixpath.join(folder, attachments)
    places = (posixpath.join(each, target) for each in (folder, attachments, ""))
    plain = (posixpath.normpath(each).lstrip("/") for each in places)
    yield from (each for each in dict.fromkeys(plain) if not each.startswith(".."))
