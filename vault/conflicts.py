"""Copies that a conflict left beside a page: ours, and those of the usual synchronisers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.errors import ArticleMissing, NotAllowed
from vault.files import ArticleFile
from vault.history.commit import CommitResult
from vault.history.diff import split_lines
from vault.history.matching import shared_runs
from vault.merge import merge_with_marks
from vault.names import displayable, identity_key, stem_of, title_of
from vault.text import encode, with_plain_breaks

if TYPE_CHECKING:
    from vault.vault import Vault

_COPY = re.compile(
    r"(?P<stem>.+?)(?: ?\((?:[^()]{0,80}[ '’s])?(?:conflict|conflicted copy)(?: [^()]{0,80})?\)"
    r"|\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{1,10})?)(?: \d{1,3})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ConflictCopy:
    """A copy, and the page it belongs to; `page` is empty when that is not there."""

    path: str
    page: str


def find_conflict_copies(paths: Iterable[str]) -> tuple[ConflictCopy, ...]:
    """Return the copies among the paths of a wiki, in their order."""
    all_paths = tuple(paths)
    by_key = {identity_key(path): path for path in all_paths}
    found = []
    for path in all_paths:
        match = _COPY.fullmatch(stem_of(path))
        if match is not None:
            folder, slash, _ = path.rpartition("/")
            page = by_key.get(identity_key(f"{folder}{slash}{match['stem'].rstrip()}.md"), "")
            found.append(ConflictCopy(path, page))
    return tuple(found)


def take_copy(vault: Vault, copy: ConflictCopy) -> CommitResult:
    """The page becomes what the copy is, and the copy goes; without a page it becomes the page."""
    theirs = vault.read(copy.path)
    page = copy.page or _page_path(copy.path)
    held = vault.read(copy.page).content if copy.page else None
    found = {page: held, copy.path: theirs.content}
    subject = f"Take a conflict copy of {_shown(page)}"
    return vault.put(found, {page: theirs.content, copy.path: None}, subject)


def keep_page(vault: Vault, copy: ConflictCopy) -> CommitResult:
    """The copy goes; the history keeps it."""
    content = vault.read(copy.path).content
    subject = f"Drop a conflict copy of {_shown(copy.page or copy.path)}"
    return vault.put({copy.path: content}, {copy.path: None}, subject)


def merged_with_copy(page: ArticleFile, copy: ArticleFile) -> str:
    """What both say, with marks around what they say otherwise. Raises NotAllowed without git."""
    mine, theirs = _text(page), _text(copy)
    old, new = split_lines(with_plain_breaks(mine)), split_lines(with_plain_breaks(theirs))
    shared = (old[run.old : run.old + run.count] for run in shared_runs(old, new))
    # As if both had been written from what they share: what one of them lacks is not taken out.
    base = "".join(line for lines in shared for line in lines)
    merged = merge_with_marks(base, theirs, mine)
    if merged is None:
        raise NotAllowed("Without git two versions cannot be merged.")
    return merged


def put_merged(vault: Vault, copy: ConflictCopy, page: ArticleFile, text: str) -> CommitResult:
    """The page becomes a merged text, and the copy goes. Raises PageChanged, VaultError."""
    if not copy.page:
        raise ArticleMissing(f"The page of “{displayable(copy.path)}” is not there.")
    content = encode(text, has_byte_order_mark=page.has_byte_order_mark)
    found = {page.path: page.content, copy.path: vault.read(copy.path).content}
    subject = f"Merge a conflict copy of {_shown(page.path)}"
    return vault.put(found, {page.path: content, copy.path: None}, subject)


def _text(file: ArticleFile) -> str:
    if file.text is None or file.is_read_only:
        why = file.read_only_reason or "it is not a text"
        raise NotAllowed(f"“{displayable(file.path)}” cannot be merged: {why}.")
    return file.text


def _page_path(path: str) -> str:
    match = _COPY.fullmatch(stem_of(path))
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{match['stem'].rstrip()}.md" if match else name


def _shown(path: str) -> str:
    return title_of(stem_of(displayable(path)))
