"""Reads and creates articles, never outside the vault and never anything but ordinary files."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from vault import os_errors
from vault.atomic import create_file, digest
from vault.confined import Place, opened_place, read_regular
from vault.errors import ArticleExists, ArticleMissing, ReadFailed, SaveFailed
from vault.names import check_note_path, displayable, identity_key, stem_of, title_of
from vault.text import decode

MOST_EDITED_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class ArticleFile:
    """An article as it was on disk at one moment; what a later save is compared with.

    `text` has the file's own line breaks and no byte order mark; it is None for a file that
    is not text or is larger than MOST_EDITED_BYTES (then `content` is empty). `real_path` is
    `path` with symbolic links within the vault followed.
    """

    path: str
    content: bytes
    text: str | None
    sha256: str
    real_path: str
    has_byte_order_mark: bool = False
    read_only_reason: str | None = None
    hard_links: int = 1

    @property
    def is_read_only(self) -> bool:
        """Whether a save would be refused."""
        return self.read_only_reason is not None


def read_article(root: Path, relative: str) -> ArticleFile:
    """Read one note. Raises NotAllowed, ArticleMissing or ReadFailed."""
    check_note_path(relative)
    try:
        with opened_place(root, relative) as place:
            status, content = read_regular(place, MOST_EDITED_BYTES)
            return article_of(relative, place, status, content)
    except FileNotFoundError as error:
        raise ArticleMissing(f"There is no article “{displayable(relative)}”.") from error
    except OSError as error:
        raise ReadFailed(
            f"“{displayable(relative)}” could not be read: {_why_unreadable(error)}."
        ) from error


def article_of(relative: str, place: Place, status: os.stat_result, content: bytes) -> ArticleFile:
    """Build an ArticleFile from what was read."""
    if len(content) > MOST_EDITED_BYTES:
        limit = MOST_EDITED_BYTES // 1_000_000
        why = f"it is larger than {limit} MB"
        return ArticleFile(relative, b"", None, "", place.relative, False, why)
    decoded = decode(content)
    reason = decoded.problem
    if reason is None and not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        reason = "the file is write-protected"
    return ArticleFile(
        relative,
        content,
        decoded.text,
        digest(content),
        place.relative,
        decoded.has_byte_order_mark,
        reason,
        status.st_nlink,
    )


def create_article(root: Path, relative: str, text: str) -> None:
    """Create a new article at a path that `path_for_new` gave.

    Raises ArticleExists also when a name in the folder differs only in case or normalisation,
    SaveFailed when the system refuses.
    """
    check_note_path(relative)
    shown = title_of(stem_of(displayable(relative)))
    content = text.encode("utf-8", "replace")
    try:
        with opened_place(root, relative, make_folders=True) as place:
            twin = _twin(place.folder, place.name)
            if twin is not None:
                raise ArticleExists(f"There is already an article “{displayable(twin)}”.")
            create_file(place, content)
    except FileExistsError as error:
        raise ArticleExists(f"There is already an article “{shown}”.") from error
    except OSError as error:
        raise SaveFailed(f"“{shown}” was not created: {os_errors.reason(error)}.") from error


def _twin(folder: int, name: str) -> str | None:
    # A link takes spaces and underscores for one, so two such pages could not be told apart.
    key = identity_key(name).replace("_", " ")
    names = os.listdir(folder)
    return next((n for n in names if identity_key(n).replace("_", " ") == key), None)


def _why_unreadable(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "it is a symbolic link that changed while it was opened"
    if error.errno == errno.EINVAL:
        return "it is not an ordinary file"
    return os_errors.reason(error)
