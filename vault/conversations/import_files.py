"""Finds the chats in a file, a zip or a folder that another program wrote."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from vault.conversations.errors import ImportRefused
from vault.conversations.exporting import ChatDocument
from vault.conversations.foreign.forms import chats_in
from vault.conversations.foreign.json_reading import MOST_BYTES
from vault.conversations.importing import Skipped
from vault.names import displayable
from vault.os_errors import reason

_ZIP_MAGIC = b"PK\x03\x04"
_MOST_MEMBERS = 10_000
_CHUNK = 1 << 20


def chats_in_path(path: Path) -> Iterator[ChatDocument | Skipped]:
    """Every chat there, one at a time. Raises ImportRefused."""
    name = displayable(str(path))
    try:
        if path.is_dir():
            yield from _in_folder(path)
            return
        if not path.is_file():
            raise ImportRefused(f"There is no file {name}.")
        modified = datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone()
        with path.open("rb") as stream:
            is_zip = stream.read(len(_ZIP_MAGIC)) == _ZIP_MAGIC
        if is_zip:
            yield from _in_zip(path, modified)
        else:
            yield from _in_file(path, modified)
    except OSError as error:
        raise ImportRefused(f"{name} cannot be read: {reason(error)}.") from error


def _in_file(path: Path, modified: datetime) -> Iterator[ChatDocument | Skipped]:
    name = displayable(str(path))
    if path.stat().st_size > MOST_BYTES:
        raise ImportRefused(f"{name} is larger than {MOST_BYTES // 1024**3} GiB.")
    try:
        yield from chats_in(path.read_bytes(), modified)
    except ImportRefused as error:
        raise ImportRefused(f"{name} cannot be imported: {error}.") from error


def _in_folder(folder: Path) -> Iterator[ChatDocument | Skipped]:
    files = sorted(
        path for path in folder.rglob("*.json") if path.is_file() and not path.is_symlink()
    )
    if not files:
        raise ImportRefused(f"There is no JSON file in {displayable(str(folder))}.")
    for path in files:
        try:
            yield from chats_in_path(path)
        except ImportRefused as error:
            yield Skipped(displayable(str(path)), str(error).rstrip("."))


def _in_zip(path: Path, modified: datetime) -> Iterator[ChatDocument | Skipped]:
    name = displayable(str(path))
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()[:_MOST_MEMBERS]
            wanted = [each for each in members if _is_of_chats(each.filename)]
            if not wanted:
                raise ImportRefused(f"There is no file of conversations in {name}.")
            for member in wanted:
                yield from _in_member(archive, member, modified)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise ImportRefused(f"{name} is a damaged zip file: {error}.") from error


def _in_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, modified: datetime
) -> Iterator[ChatDocument | Skipped]:
    # What a zip says of its sizes need not be true.
    content = bytearray()
    with archive.open(member) as stream:
        while piece := stream.read(_CHUNK):
            content += piece
            if len(content) > MOST_BYTES:
                yield Skipped(member.filename, f"it is larger than {MOST_BYTES // 1024**3} GiB")
                return
    try:
        yield from chats_in(bytes(content), modified)
    except ImportRefused as error:
        yield Skipped(member.filename, str(error))


def _is_of_chats(name: str) -> bool:
    """`conversations.json`, its numbered parts, and LM Studio's files."""
    base = PurePosixPath(name).name
    return (base.endswith(".json") and base.startswith("conversations")) or base.endswith(
        ".conversation.json"
    )
