"""A folder whose content may be loaded as code: nobody else can have written it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from engine.worker.blas.unavailable import BlasUnavailable

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def ensure_private_folder(folder: Path) -> None:
    """Make the folder with mode 0700, or check the one that exists.

    Raises BlasUnavailable when another account owns it, could write to it or could swap it.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        status, parent = folder.lstat(), folder.parent.stat()
    except OSError as error:
        raise BlasUnavailable(
            f"the cache folder {folder} cannot be made ({error.strerror})",
            f"Make {folder} writable for your account.",
        ) from error
    fault = _fault(status, parent)
    if fault:
        raise BlasUnavailable(
            f"the cache folder {folder} {fault}",
            f"Remove {folder}, it is made anew with the right permissions.",
        )


def is_own_file(path: Path) -> bool:
    """Whether this is a plain file that only this account (or root) can have written."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_uid == os.geteuid()
        and not status.st_mode & _WRITABLE_BY_OTHERS
    )


def _fault(status: os.stat_result, parent: os.stat_result) -> str:
    if not stat.S_ISDIR(status.st_mode):
        return "is a link or a file, not a folder"
    if status.st_uid != os.geteuid():
        return "belongs to another account"
    if status.st_mode & _WRITABLE_BY_OTHERS:
        return "can be written by other accounts"
    # In a shared folder without the sticky bit anyone could put another folder in our place.
    if parent.st_mode & _WRITABLE_BY_OTHERS and not parent.st_mode & stat.S_ISVTX:
        return "lies in a folder where other accounts could replace it"
    return ""
