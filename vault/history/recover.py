"""Brings the history in line with the files at start: what was saved but not committed, is now.

A crash between a save and its commit, a power loss that took the last commit, or another
program that edited articles: the files are the truth, and this catches the history up.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from vault.atomic import temporary_owner
from vault.confined import opened_place, read_regular
from vault.errors import HistoryUnavailable, NotAllowed
from vault.files import MOST_EDITED_BYTES
from vault.history.commit import CommitResult, commit_paths, finish_interrupted
from vault.history.git import Repository
from vault.history.home import Home, home_of
from vault.history.state import Skipped, SkipReason, find_head, find_repository, git_path
from vault.history.trees import Entry, is_blob, read_entries
from vault.listing import VaultListing, list_vault
from vault.marker import MARKER_NAME

_STALE_SECONDS = 3600.0
_MOST_PATHS_A_COMMIT = 5000
_MOST_BYTES_A_COMMIT = 64_000_000


def recover(folder: Path | Home) -> CommitResult:
    """Commit the articles that differ from the history.

    That is one commit, or several when there are thousands. Never raises for a bad repository.
    """
    repository = find_repository(folder)
    if isinstance(repository, Skipped):
        return repository
    try:
        return _recover(home_of(folder), repository)
    except HistoryUnavailable as error:
        return Skipped(SkipReason.NO_GIT, str(error))


def uncommitted(folder: Path | Home) -> tuple[str, ...] | Skipped:
    """Return the paths that differ from the history; Skipped where there is none to ask."""
    repository = find_repository(folder)
    if isinstance(repository, Skipped):
        return repository
    root = repository.root
    try:
        head = find_head(repository)
        if isinstance(head, Skipped):
            return head
        known = read_entries(repository, head.sha)
    except HistoryUnavailable as error:
        return Skipped(SkipReason.NO_GIT, str(error))
    return tuple(path for path, _ in _changes(root, list_vault(root), known))


def _recover(home: Home, repository: Repository) -> CommitResult:
    root = home.root
    finish_interrupted(repository)
    head = find_head(repository)
    if isinstance(head, Skipped):
        return head
    listing = list_vault(root)
    _remove_leftovers(root, {note.path.rpartition("/")[0] for note in listing.notes})
    known = read_entries(repository, head.sha)
    result: CommitResult = Skipped(SkipReason.UNCHANGED, "The history is complete.")
    for changes in _portions(_changes(root, listing, known)):
        result = commit_paths(home, changes, "Recover changes", "you")
        if isinstance(result, Skipped):
            break
    return result


def _changes(
    root: Path, listing: VaultListing, known: Mapping[str, Entry]
) -> Iterator[tuple[str, bytes | None]]:
    for path in _versioned(listing):
        content = _content(root, path)
        if content is not None and not is_blob(content, known.get(git_path(path))):
            yield path, content
    if not listing.problems:
        listed = {git_path(note.path) for note in listing.notes}
        for path in known:
            if path not in listed and _is_deleted(root, path, listing.is_ours):
                yield path, None


def _portions(
    changes: Iterator[tuple[str, bytes | None]],
) -> Iterator[dict[str, bytes | None]]:
    """Group changes so that a commit never holds more than a bounded amount of text."""
    portion: dict[str, bytes | None] = {}
    size = 0
    for path, content in changes:
        portion[path] = content
        size += len(content or b"")
        if len(portion) >= _MOST_PATHS_A_COMMIT or size >= _MOST_BYTES_A_COMMIT:
            yield portion
            portion, size = {}, 0
    if portion:
        yield portion


def _versioned(listing: VaultListing) -> Iterator[str]:
    if listing.is_ours:
        yield from (MARKER_NAME, "README.md", ".gitignore")
    yield from (note.path for note in listing.notes)


def _content(root: Path, relative: str) -> bytes | None:
    try:
        with opened_place(root, relative) as place:
            if place.relative != relative:
                # A link within the wiki: its target is versioned under its own name.
                return None
            content = read_regular(place, MOST_EDITED_BYTES)[1]
    except (OSError, NotAllowed):
        return None
    return content if len(content) <= MOST_EDITED_BYTES else None


def _is_deleted(root: Path, relative: str, is_ours: bool) -> bool:
    """Tell whether a note is really gone, and not only kept in the cloud."""
    folder, _, name = relative.rpartition("/")
    if (is_ours and not folder) or not name.endswith(".md"):
        return False
    try:
        with opened_place(root, relative) as place, os.scandir(place.folder) as entries:
            names = {entry.name for entry in entries}
    except FileNotFoundError:
        return True
    except (OSError, NotAllowed):
        return False
    return name not in names and f".{name}.icloud" not in names


def _remove_leftovers(root: Path, folders: set[str]) -> None:
    """Remove temporary files of ours whose process is gone and that are over an hour old."""
    for folder in ({""} | folders) - {".git"}:
        with contextlib.suppress(OSError), os.scandir(root / folder) as entries:
            for entry in entries:
                owner = temporary_owner(entry.name)
                if owner is None or _is_running(owner):
                    continue
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS:
                    os.unlink(entry.path)  # noqa: PTH108 - an entry, not a Path


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
