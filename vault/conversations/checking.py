"""Tells whether the file of the chats can be used."""

from __future__ import annotations

import functools
import stat
import struct
import time
from pathlib import Path
from typing import Any

import apsw

from vault.conversations.database import connect
from vault.conversations.schema import APPLICATION_ID, STEPS, migrate

_LONGEST_CHECK_SECONDS = 0.25
_STEPS_BETWEEN_LOOKS = 10_000
_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_HIGHEST_VERSION = 1000
# https://www.sqlite.org/fileformat2.html#the_database_header
_APPLICATION = slice(68, 72)


def problem_of(file: Path) -> str:
    """Say what is wrong with the file; nothing when it can be used."""
    size = file.stat().st_size if kind_of(file) is not None else 0
    if not size:
        return "it is empty" if has_log(file) else ""
    problem = _header_problem(file, size)
    if problem:
        return problem
    try:
        # Nothing is set, for that would change a file that is to be set aside as it is.
        connection = connect(file, is_bare=True)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return str(error)
    except apsw.Error:
        # Its place or this moment is at fault; opening it says so.
        return ""
    try:
        return _checked(connection)
    finally:
        connection.close(force=True)


def _structure(connection: apsw.Connection) -> frozenset[tuple[Any, ...]]:
    # How SQLite lays out what it keeps itself is its own and may change.
    return frozenset(
        connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE"
            " name NOT GLOB 'words_*' AND name NOT GLOB 'grams_*' AND name NOT GLOB 'sqlite_*'"
        )
    )


@functools.cache
def _own_structure() -> frozenset[tuple[Any, ...]]:
    connection = apsw.Connection(":memory:")
    migrate(connection, STEPS)
    return _structure(connection)


def _header_problem(file: Path, size: int) -> str:
    with file.open("rb") as stream:
        header = stream.read(_HEADER_BYTES)
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        return "it is not a database"
    if header[_APPLICATION] not in {bytes(4), APPLICATION_ID.to_bytes(4, "big")}:
        return "it belongs to another program"
    # With a log, the missing pages may be in it.
    return "its end is missing" if not has_log(file) and size < _bytes_told(header) else ""


def _bytes_told(header: bytes) -> int:
    """How long the file is by its own word."""
    size, pages = struct.unpack_from(">H", header, 16)[0], struct.unpack_from(">I", header, 28)[0]
    return int(pages * (1 << 16 if size == 1 else size))


def kind_of(file: Path) -> int | None:
    """What is there: `stat.S_IFREG` and the like; None for nothing."""
    try:
        return stat.S_IFMT(file.lstat().st_mode)
    except FileNotFoundError:
        return None


def has_log(file: Path) -> bool:
    """Whether there is a write-ahead log with something in it."""
    log = file.with_name(file.name + "-wal")
    return kind_of(log) == stat.S_IFREG and log.stat().st_size > 0


def _checked(connection: apsw.Connection) -> str:
    """Check for a quarter of a second; damage found later is found when it is read."""
    limit = time.monotonic() + _LONGEST_CHECK_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > limit, _STEPS_BETWEEN_LOOKS)
    try:
        return _tables_problem(connection)
    except (apsw.InterruptError, apsw.BusyError, apsw.LockedError):
        return ""
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, UnicodeDecodeError) as error:
        return str(error)


def _tables_problem(connection: apsw.Connection) -> str:
    version = int(connection.pragma("user_version"))
    has_tables = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'chat'").get
    if bool(version) != bool(has_tables) or not 0 <= version <= _HIGHEST_VERSION:
        return "its version is lost"
    if version == len(STEPS) and _structure(connection) != _own_structure():
        return "its structure is damaged"
    if not version or version > len(STEPS):
        return ""
    # The tables of words take longer, and a search tells that they are damaged.
    for table in ("chat", "message", "piece", "sqlite_sequence"):
        found = connection.execute(f"PRAGMA integrity_check({table})").get
        if found != "ok":
            return str(found)
    return ""
