"""Writes exports: whole or not at all, and never over a file without being told."""

from __future__ import annotations

import errno
import os
import re
import secrets
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from vault.conversations.errors import ExportExists, ExportRefused
from vault.names import displayable
from vault.os_errors import reason

_KEPT = re.compile(r"[^\w.-]+")
_LONGEST = 60
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def write_export(file: Path, content: Iterable[bytes], is_overwriting: bool = False) -> None:
    """Write a file that only the user can read. Raises ExportRefused, ConversationError."""
    beside = file.with_name(f".{file.name[:_LONGEST]}.{secrets.token_hex(4)}")
    try:
        try:
            number = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with open(number, "wb") as stream:  # noqa: PTH123  the file is open already
                for piece in content:
                    stream.write(piece)
                stream.flush()
                os.fsync(number)
            if is_overwriting:
                beside.replace(file)
            else:
                _put_in_place(beside, file)
        finally:
            beside.unlink(missing_ok=True)
    except FileExistsError as error:
        raise ExportExists(
            f"{displayable(str(file))} is there already; give another name."
        ) from error
    except OSError as error:
        raise ExportRefused(
            f"{displayable(str(file))} was not written: {reason(error)}."
        ) from error


def _put_in_place(beside: Path, file: Path) -> None:
    """A link refuses what is there, in one step; some disks have no links."""
    try:
        os.link(beside, file)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(file):
            raise FileExistsError from error
        beside.replace(file)


def make_folder(folder: Path) -> Path:
    """Make a folder for exports where there is none. Raises ExportRefused."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ExportRefused(
            f"The folder {displayable(str(folder))} cannot be made: {reason(error)}."
        ) from error
    return folder


def file_name(title: str, date: str, suffix: str) -> str:
    """A name for a chat's file that every system takes."""
    letters = unicodedata.normalize("NFC", title.encode("utf-8", "replace").decode())
    stem = _KEPT.sub("-", letters)[:_LONGEST].strip("-._")
    return f"{date} {stem}{suffix}".replace(" ", "-") if stem else f"{date}-chat{suffix}"
