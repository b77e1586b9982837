"""What became of a page on disk while somebody edited it, before a save decides anything."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vault.atomic import digest
from vault.errors import ArticleMissing, VaultError
from vault.files import ArticleFile
from vault.listing import Note
from vault.merge import has_marks, merge, merge_with_marks
from vault.text import encode

if TYPE_CHECKING:
    from vault.vault import Vault


_MOST_COMPARED = 100
_LEAST_SHARED = 0.5


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
    """The page is not there any more; `moved_to` is the only page that is it under another name."""

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
    notes = vault.listing().notes
    return _unchanged(vault, base, notes) or _alike(vault, base, notes)


def _alike(vault: Vault, base: ArticleFile, notes: Sequence[Note]) -> str | None:
    """The page that has most lines of one that was renamed and changed at once."""
    lines = _lines(base.text or "")
    shares: list[tuple[float, str]] = []
    # Whoever changed it did so just now.
    for note in heapq.nlargest(_MOST_COMPARED, notes, key=lambda note: note.modified_ns):
        try:
            file = vault.read(note.path)
        except VaultError:
            continue
        others = _lines(file.text or "")
        longest = max(lines.total(), others.total())
        if longest and not file.is_read_only:
            shares.append(((lines & others).total() / longest, note.path))
    shares.sort(reverse=True)
    if not shares or shares[0][0] < _LEAST_SHARED:
        return None
    # A second page that is as much like it could be the one.
    return None if len(shares) > 1 and shares[1][0] >= _LEAST_SHARED else shares[0][1]


def _lines(text: str) -> Counter[str]:
    """The lines of a text that are not blank, counted."""
    return Counter(line.strip() for line in text.splitlines() if line.strip())


def _unchanged(vault: Vault, base: ArticleFile, notes: Sequence[Note]) -> str | None:
    found = []
    for note in notes:
        if note.size == len(base.content) and note.path != base.path:
            try:
                file = vault.read(note.path)
            except VaultError:
                continue
            if file.content == base.content and not file.is_read_only:
                found.append(note.path)
    return found[0] if len(found) == 1 and base.content.strip() else None
