"""Opens the file of the chats: makes it, brings it up to date, doubts it, sets it aside."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import apsw
from filelock import FileLock, Timeout

from vault.conversations.aside import flush_folder, replace_damaged, saved_name
from vault.conversations.checking import has_log, kind_of, problem_of
from vault.conversations.database import Database, Identity, connect, identity, translated
from vault.conversations.errors import NotStored, StoreNewer, StoreUnusable
from vault.conversations.schema import STEPS, migrate
from vault.names import displayable
from vault.os_errors import reason

_LONGEST_WAIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Opened:
    """An open database and what to tell the user about it."""

    database: Database
    notices: tuple[str, ...] = ()


def open_database(
    file: Path, steps: tuple[str, ...] = STEPS, condemned: Identity | None = None
) -> Opened:
    """Open or make it; the file `condemned`, seen to be damaged, is not opened again.

    Raises ConversationError.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.parent.chmod(0o700)
        with FileLock(file.with_name("opening.lock"), _LONGEST_WAIT_SECONDS, mode=0o600):
            return _open(file, steps, condemned)
    except Timeout as error:
        raise StoreUnusable(
            "Another zib has been opening the chats for a minute; end it and try again."
        ) from error
    except OSError as error:
        raise StoreUnusable(
            f"The chats in {displayable(str(file))} cannot be opened: {reason(error)}."
        ) from error
    except NotStored as error:
        raise StoreUnusable(str(error)) from error


def _open(file: Path, steps: tuple[str, ...], condemned: Identity | None) -> Opened:
    notices: list[str] = []
    saved = saved_name(file)
    if kind_of(file) is None and saved.exists():
        # A crash came between setting the damaged file aside and putting this in its place.
        saved.rename(file)
    _make_empty(file)
    # Another window may have put it right already; then it is another file.
    is_condemned = condemned is not None and identity(file) == condemned
    problem = "it cannot be read" if is_condemned else problem_of(file)
    if problem:
        notices.append(replace_damaged(file, problem))
    with translated(file):
        connection = connect(file)
    try:
        with translated(file):
            _bring_up_to_date(file, connection, steps)
            return Opened(Database(file, connection), tuple(notices))
    except BaseException:
        connection.close(force=True)
        raise


def _make_empty(file: Path) -> None:
    """Make a file that only the user can read; refuse what is no file."""
    kind = kind_of(file)
    if kind is None and not has_log(file):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    elif kind not in {None, stat.S_IFREG}:
        what = {stat.S_IFDIR: "a folder", stat.S_IFLNK: "a link"}.get(kind or 0, "no file")
        raise StoreUnusable(
            f"The chats cannot be opened: {displayable(str(file))} is {what}."
            " Move it away, or put the file of the chats in its place."
        )
    elif kind is not None:
        file.chmod(0o600)


def _bring_up_to_date(file: Path, connection: apsw.Connection, steps: tuple[str, ...]) -> None:
    version = int(connection.pragma("user_version"))
    if version > len(steps):
        raise StoreNewer(
            f"The chats in {displayable(str(file))} were written by a newer zib (version {version}"
            f" of the file, this one knows {len(steps)}). Update zib to open them."
        )
    if version == len(steps):
        return
    if version:
        _back_up(file, connection, version)
    migrate(connection, steps)


def _back_up(file: Path, connection: apsw.Connection, version: int) -> None:
    backup = file.with_name(f"{file.stem}.before-version-{version + 1}{file.suffix}")
    if backup.exists():
        return
    building = backup.with_name(f".{backup.name}.making")
    building.unlink(missing_ok=True)
    os.close(os.open(building, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection.execute("VACUUM INTO ?", (str(building),))
    with building.open("rb") as stream:
        os.fsync(stream.fileno())
    building.rename(backup)
    flush_folder(file.parent)
