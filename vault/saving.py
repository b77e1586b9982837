"""Saves an edited article: in one step, never over a change it has not seen, losing nothing."""

import contextlib
import os
import re
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from pathlib import Path

from vault import os_errors
from vault.atomic import Replaced, create_file, replace_file
from vault.confined import Place, opened_place, read_regular
from vault.errors import ReadOnlyArticle, SaveFailed
from vault.files import MOST_EDITED_BYTES, ArticleFile, article_of
from vault.merge import merge
from vault.names import check_note_path, displayable, stem_of
from vault.text import encode, restore_line_breaks

_MOST_TRIES = 8
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9-]+")


class Outcome(Enum):
    """What became of a save."""

    UNCHANGED = auto()  # the text is what was read; nothing was written
    SAVED = auto()
    MERGED = auto()  # the file had changed meanwhile; both changes are in it now
    RECREATED = auto()  # the file had been deleted meanwhile; it is back, with this text
    CONFLICT_COPY = auto()  # the changes cannot be merged; this text is in a copy beside it


@dataclass(frozen=True, slots=True)
class Saved:
    """A finished save. `file` is what was written, at `file.path`: for a conflict, the copy.

    `replaced` is what the file held before; None where nothing was replaced.
    """

    outcome: Outcome
    file: ArticleFile
    notes: tuple[str, ...] = ()
    replaced: bytes | None = None


def save_article(
    root: Path, relative: str, text: str, base: ArticleFile, *, is_exact: bool = False
) -> Saved:
    """Save `text` over the article that was read as `base`. Raises SaveFailed, ReadOnlyArticle.

    Lines that were not edited keep their bytes, whatever the editor did to line breaks; a text that
    `is_exact` has the breaks it is to have.
    """
    mine = _checked(relative, text, base, is_exact)
    if mine == base.text:
        return Saved(Outcome.UNCHANGED, base)
    with _placed(root, relative) as place:
        return _save(place, mine, base)


def write_conflict_copy(root: Path, relative: str, text: str, base: ArticleFile) -> Saved:
    """Keep an exact `text` in a copy beside the article. Raises SaveFailed, ReadOnlyArticle."""
    with _placed(root, relative) as place:
        return _conflict_copy(place, _checked(relative, text, base, is_exact=True), base)


def _checked(relative: str, text: str, base: ArticleFile, is_exact: bool) -> str:
    check_note_path(relative)
    if base.read_only_reason is not None or base.text is None:
        why = base.read_only_reason or "it is not a text file"
        raise ReadOnlyArticle(f"“{displayable(relative)}” cannot be changed: {why}.")
    mine = text if is_exact else restore_line_breaks(base.text, text)
    if mine != base.text and len(mine.encode("utf-8", "replace")) > MOST_EDITED_BYTES:
        raise SaveFailed(
            f"“{displayable(relative)}” was not saved: it is larger than"
            f" {MOST_EDITED_BYTES // 1_000_000} MB; move a part of it to another article."
        )
    return mine


@contextlib.contextmanager
def _placed(root: Path, relative: str) -> Iterator[Place]:
    try:
        with opened_place(root, relative, make_folders=True) as place:
            yield place
    except OSError as error:
        raise SaveFailed(
            f"“{displayable(relative)}” was not saved: {os_errors.reason(error)}."
            " Your text is still in the editor."
        ) from error


def _save(place: Place, mine: str, base: ArticleFile) -> Saved:
    for _ in range(_MOST_TRIES):
        saved = _try_to_save(place, mine, base)
        if saved is not None:
            return saved
    return _conflict_copy(place, mine, base)


def _try_to_save(place: Place, mine: str, base: ArticleFile) -> Saved | None:
    """Make one attempt against the file as it is now; None when it changed under the attempt."""
    try:
        status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            return _conflict_copy(place, mine, base)
        status, content = read_regular(place, MOST_EDITED_BYTES)
    except FileNotFoundError:
        return _recreate(place, mine, base)
    outcome, text, has_mark = Outcome.SAVED, mine, base.has_byte_order_mark
    disk = article_of(base.path, place, status, content)
    if disk.text is not None and disk.is_read_only and content == base.content:
        raise ReadOnlyArticle(
            f"“{displayable(base.path)}” was not saved: {disk.read_only_reason}."
            " Your text is still in the editor."
        )
    if content != base.content:
        if encode(mine, has_byte_order_mark=has_mark) == content:
            return Saved(Outcome.SAVED, disk)
        merged = _merged(mine, base, disk)
        if merged is None:
            return _conflict_copy(place, mine, base)
        outcome, text, has_mark = Outcome.MERGED, merged, disk.has_byte_order_mark
    new = encode(text, has_byte_order_mark=has_mark)
    if replace_file(place, new, status, disk.sha256) is Replaced.CHANGED_MEANWHILE:
        return None
    file = article_of(base.path, place, status, new)
    return Saved(outcome, file, _notes(status), content)


def _merged(mine: str, base: ArticleFile, disk: ArticleFile) -> str | None:
    if base.text is None or disk.text is None or disk.is_read_only:
        return None
    merged = merge(base.text, mine, disk.text)
    is_too_large = merged is not None and len(merged.encode("utf-8")) > MOST_EDITED_BYTES
    return None if is_too_large else merged


def _recreate(place: Place, mine: str, base: ArticleFile) -> Saved | None:
    content = encode(mine, has_byte_order_mark=base.has_byte_order_mark)
    try:
        create_file(place, content)
    except FileExistsError:
        return None
    return Saved(Outcome.RECREATED, _as_read(place, base.path, content))


def _conflict_copy(place: Place, mine: str, base: ArticleFile) -> Saved:
    content = encode(mine, has_byte_order_mark=base.has_byte_order_mark)
    for number in range(1, 1000):
        name = _copy_name(place.name, number)
        folder = place.relative.rpartition("/")[0]
        path = f"{folder}/{name}" if folder else name
        copy = Place(place.folder, name, path)
        with contextlib.suppress(FileExistsError):
            create_file(copy, content)
            return Saved(Outcome.CONFLICT_COPY, _as_read(copy, path, content))
    raise FileExistsError("there are a thousand conflict copies of this article already")


def _copy_name(name: str, number: int) -> str:
    host = _NOT_A_NAME.sub("-", socket.gethostname().partition(".")[0]).strip("-")[:30]
    when = datetime.now().strftime("%Y-%m-%dT%H%M%S")
    mark = f" (conflict {when} {host or 'here'}{'' if number == 1 else f' {number}'}).md"
    room = 250 - len(os.fsencode(mark))
    stem = os.fsencode(stem_of(name))[:room].decode("utf-8", "ignore")
    return stem + mark


def _as_read(place: Place, path: str, content: bytes) -> ArticleFile:
    status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    return article_of(path, place, status, content)


def _notes(status: os.stat_result) -> tuple[str, ...]:
    if status.st_nlink == 1:
        return ()
    return ("This file had a second name (a hard link); only the article has the new text.",)
