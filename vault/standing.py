"""What became of a page on disk while somebody edited it, before a save decides anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vault.atomic import digest
from vault.errors import ArticleMissing, VaultError
from vault.files import ArticleFile
from vault.merge import has_marks, merge, merge_with_marks
from vault.text import encode

if TYPE_CHECKING:
    from vault.vault import Vault


@dataclass(frozen=True, slots=True)
class AsRead:
    """The page is what it was when it was read, or what is to be saved."""


@dataclass(frozen=True, slots=True)
class Merges:
    """The page changed elsewhere, in other places than the unsaved text did."""

    disk: ArticleFile


@dataclass(frozen=True, slots=True)
class Clashes:
    """The page changed where the unsaved text did, or lies in the middle of a merge.

    `merged` is both texts with marks around what differs, None where there is no git.
    """

    disk: ArticleFile
    merged: str | None


@dataclass(frozen=True, slots=True)
class IsGone:
    """The page is not there any more; `moved_to` is the only page that is what it was."""

    moved_to: str | None


Standing = AsRead | Merges | Clashes | IsGone


def standing_of(vault: Vault, text: str, base: ArticleFile) -> Standing:
    """Compare an unsaved text and what it began from with the disk. Raises VaultError."""
    try:
        disk = vault.read(base.path)
    except ArticleMissing:
        return IsGone(_moved_to(vault, base))
    if disk.content == base.content or disk.text == text:
        return AsRead()
    if base.text is None or disk.text is None:
        return Clashes(disk, None)
    is_merging = has_marks(disk.text) and not has_marks(base.text)
    if not is_merging and merge(base.text, text, disk.text) is not None:
        return Merges(disk)
    return Clashes(disk, merge_with_marks(base.text, text, disk.text))


def moved(base: ArticleFile, path: str) -> ArticleFile:
    """What was read, as what is read at another path."""
    return replace(base, path=path, real_path=path)


def as_read_before(disk: ArticleFile | None, path: str, text: str) -> ArticleFile:
    """A page as it was read once, of which only the text is known."""
    has_mark = disk is not None and disk.has_byte_order_mark
    content = encode(text, has_byte_order_mark=has_mark)
    real_path = disk.real_path if disk is not None else path
    return ArticleFile(path, content, text, digest(content), real_path, has_mark)


def _moved_to(vault: Vault, base: ArticleFile) -> str | None:
    found = []
    for note in vault.listing().notes:
        if note.size == len(base.content) and note.path != base.path:
            try:
                file = vault.read(note.path)
            except VaultError:
                continue
            if file.content == base.content and not file.is_read_only:
                found.append(note.path)
    return found[0] if len(found) == 1 and base.content.strip() else None
