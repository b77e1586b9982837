"""Tells whether the file of the chats can be used."""

from __future__ import annotations

import stat
import time
from pathlib import Path

import apsw

from vault.conversations.database import connect
from vault.conversations.schema import APPLICATION_ID

_LONGEST_CHECK_SECONDS = 0.5
_STEPS_BETWEEN_LOOKS = 10_000
_MAGIC = b"SQLite format 3\x00"


def problem_of(file: Path, is_doubted: bool) -> str:
    """Say what is wrong with the file; nothing when it can be used."""
    size = file.stat().st_size if kind_of(file) is not None else 0
    if not size:
        return "it is empty" if has_log(file) else ""
    with file.open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            return "it is not a database"
    try:
        connection = connect(file)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return str(error)
    except apsw.Error:
        # Its place or this moment is at fault; opening it says so.
        return ""
    try:
        return _checked(connection, is_doubted)
    finally:
        connection.close(force=True)


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


def _checked(connection: apsw.Connection, is_doubted: bool) -> str:
    """Check for half a second; damage found later is found when it is read."""
    limit = time.monotonic() + _LONGEST_CHECK_SECONDS
    if not is_doubted:
        connection.set_progress_handler(lambda: time.monotonic() > limit, _STEPS_BETWEEN_LOOKS)
    try:
        application = connection.pragma("application_id")
        if application not in {0, APPLICATION_ID}:
            return "it belongs to another program"
        found = connection.execute("PRAGMA quick_check(1)").get
        return "" if found == "ok" else str(found)
    except apsw.InterruptError:
        return ""
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, UnicodeDecodeError) as error:
        return str(error)
    except (apsw.BusyError, apsw.LockedError):
        return ""
