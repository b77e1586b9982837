"""The names of a tier's files and folders, and making folders nobody else can look into.

A file is named after those it belongs to, so that it can be found and removed without being read,
whatever model made it and however damaged it is.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Collection, Iterable
from pathlib import Path

SUFFIX = ".zibkv"
TEMPORARY_SUFFIX = ".tmp"
MOST_OWNERS = 12
"""A name has 255 bytes; who comes later is not written down, and loses nothing but time."""

_MARK_CHARACTERS = 12
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}


def mark_of(owner: str) -> str:
    """An owner as a part of a file name."""
    return hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK_CHARACTERS]


def new_name(marks: Iterable[str]) -> str:
    """A name that no other file has, in any process."""
    kept = sorted(marks)[:MOST_OWNERS]
    return f"{'.'.join(kept)}-{secrets.token_hex(8)}{SUFFIX}"


def temporary_name(name: str) -> str:
    """What a file is called while this process writes it."""
    return f"{name}.{os.getpid()}{TEMPORARY_SUFFIX}"


def marks_in(name: str) -> frozenset[str]:
    """Whose file this is, also a temporary one."""
    return frozenset(name.partition("-")[0].split(".")) - {""}


def without_mark(name: str, mark: str) -> str:
    """The name of the same file once this owner has no part in it."""
    front, dash, rest = name.partition("-")
    return ".".join(part for part in front.split(".") if part != mark) + dash + rest


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents with mode 0700. Raises OSError."""
    if not folder.parent.is_dir():
        make_private(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make names given or taken in this folder survive a power cut. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


def remove_all(files: Collection[Path]) -> int:
    """Remove files for good; one that is gone already is no fault. Returns how many went.

    Raises OSError when one stays.
    """
    removed = 0
    for file in files:
        try:
            file.unlink()
        except FileNotFoundError:
            continue
        removed += 1
    for folder in {file.parent for file in files}:
        if folder.is_dir():
            sync_folder(folder)
    return removed
