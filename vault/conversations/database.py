"""One open file: a connection that writes, one that reads, and errors as sentences."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw

from vault.conversations.errors import NotStored, StoreDamaged, StoreGone
from vault.names import displayable
from vault.os_errors import reason

_BUSY_MS = 10_000
_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
)
# Without these a Mac's disk may hold what was acknowledged in its own memory.
_MAC_SETTINGS = ("PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON")
Identity = tuple[int, int]


def connect(file: Path, is_bare: bool = False) -> apsw.Connection:
    """Open a file that is there already, without our settings if bare. Raises apsw.Error."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW
    connection = apsw.Connection(os.path.realpath(file.parent) + os.sep + file.name, flags=flags)
    if is_bare:
        return connection
    try:
        _configure(connection)
    except apsw.Error:
        connection.close(force=True)
        raise
    return connection


def connect_in_memory() -> apsw.Connection:
    """A store that never touches the disk."""
    connection = apsw.Connection(":memory:")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _configure(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(_BUSY_MS)
    for setting in (*_SETTINGS, *(_MAC_SETTINGS if sys.platform == "darwin" else ())):
        connection.execute(setting)


class Database:
    """Any thread may call; writers wait for each other, readers do not wait for writers."""

    def __init__(self, file: Path | None, writer: apsw.Connection) -> None:
        """`file` is None for one in memory."""
        self.file = file
        self._writer = writer
        self._writing = threading.RLock()
        self._reader, self._reading = writer, self._writing
        if file is not None:
            self._reader, self._reading = connect(file), threading.RLock()
        self.identity = identity(file)

    @contextlib.contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """One transaction; what is raised inside takes it back. Raises ConversationError."""
        with self._writing, translated(self.file):
            self._check_place()
            connection = self._writer
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """The tables as they are; several questions see one state. Raises ConversationError."""
        with self._reading, translated(self.file):
            self._check_place()
            if self._reader.in_transaction:
                yield self._reader
                return
            self._reader.execute("BEGIN")
            try:
                yield self._reader
            finally:
                self._end_reading()

    @property
    def version(self) -> tuple[int, int]:
        """What differs after any change, by this process or another."""
        with self.reading() as connection:
            changes = self._writer.total_changes()
            return int(connection.pragma("data_version")), changes

    def empty_log(self) -> bool:
        """Write the log into the file and empty it; False when somebody is reading it."""
        if self.file is None:
            return True
        with self._writing, translated(self.file):
            busy = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
            return not busy[0]

    def close(self) -> None:
        """Let go of the file."""
        with self._writing, self._reading:
            for connection in {self._reader, self._writer}:
                with contextlib.suppress(apsw.Error):
                    connection.close()

    def _end_reading(self) -> None:
        if self._reader.in_transaction:
            self._reader.execute("ROLLBACK")

    def _check_place(self) -> None:
        if self.file is not None and identity(self.file) != self.identity:
            raise StoreGone(
                f"The file of the chats, {displayable(str(self.file))}, was deleted or replaced"
                " while zib had it open; nothing more can be saved to it."
            )


def identity(file: Path | None) -> Identity | None:
    """What tells a file from another of the same name; None when there is none."""
    if file is None:
        return None
    try:
        status = file.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def translated(file: Path | None) -> Iterator[None]:
    """Turn what SQLite says into a sentence of ours."""
    name = displayable(str(file)) if file else "memory"
    try:
        yield
    # Our questions have no mistakes, so that an error in one is in the tables.
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, UnicodeDecodeError) as error:
        raise StoreDamaged(
            f"The file of the chats, {name}, is damaged: {error}. Close zib and start it again:"
            " it keeps the damaged file and saves what can be saved."
        ) from error
    except apsw.FullError as error:
        raise NotStored(
            "The chat was not saved: the disk is full; free some space and try again."
        ) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise NotStored(
            "The chat was not saved: another program keeps the file of the chats busy; try again."
        ) from error
    except apsw.Error as error:
        raise NotStored(f"The chats in {name} cannot be used: {error}.") from error
    except OSError as error:
        raise NotStored(f"The chats in {name} cannot be used: {reason(error)}.") from error
