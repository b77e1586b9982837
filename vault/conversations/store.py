"""The conversation store: opens the file, or one in memory, and holds the parts that use it."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from vault.conversations.answers import Answers
from vault.conversations.chats import Chats
from vault.conversations.database import (
    Database,
    Identity,
    connect_in_memory,
    identity,
    translated,
)
from vault.conversations.errors import ConversationError, StoreDamaged
from vault.conversations.importing import Importer
from vault.conversations.messages import Messages
from vault.conversations.opening import open_database
from vault.conversations.owners import Owner
from vault.conversations.schema import STEPS, migrate
from vault.conversations.search import ChatSearch
from vault.conversations.trash import DAYS_KEPT, Purged, Trash
from vault.conversations.values import Deleted


class Conversations:
    """All chats. Blocking; any thread may call. Close it, or use it in a `with`.

    `notices` are sentences for the user about what happened on opening; `expired` is what had
    been in the trash for too long, whose caches the engine can forget.
    """

    def __init__(self, file: Path | None, days_kept: int = DAYS_KEPT) -> None:
        """`file` is None for chats that never touch the disk. Raises ConversationError."""
        self.file = file
        self.notices: tuple[str, ...] = ()
        self.expired = Purged(Deleted())
        self._lock = threading.Lock()
        self._is_closed = False
        self._owner: Owner | None = None
        self._database: Database | None = None
        try:
            self._open_checked(days_kept)
        except BaseException:
            self._let_go()
            raise

    @property
    def is_temporary(self) -> bool:
        """Whether nothing of it touches the disk."""
        return self.file is None

    @property
    def version(self) -> tuple[int, int]:
        """What differs after any change, by this process or another."""
        return self.database.version

    @property
    def database(self) -> Database:
        """The open file."""
        assert self._database is not None  # it is opened by the constructor
        return self._database

    def reopen(self) -> None:
        """Open the file anew, or a new one where it is gone; answers under way go on."""
        with self._lock:
            if self.file is not None and not self._is_closed:
                self._open_checked(DAYS_KEPT)

    def mend(self) -> None:
        """After StoreDamaged: set the file aside, save what can be saved, go on with that."""
        with self._lock:
            if self.file is not None and not self._is_closed:
                self._open(DAYS_KEPT, self.database.identity)

    def close(self) -> None:
        """End answers under way as interrupted, and let go of the file."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                # What cannot be ended now, the next start finds without an owner.
                with contextlib.suppress(ConversationError):
                    self.answers.close()
                self._let_go()

    def __enter__(self) -> Conversations:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _let_go(self) -> None:
        if self._database is not None:
            self._database.close()
        if self._owner is not None:
            self._owner.close()

    def _open_checked(self, days_kept: int) -> None:
        before = identity(self.file)
        try:
            self._open(days_kept)
        except StoreDamaged:
            # The short look at opening did not get as far as the damage.
            self._open(days_kept, before)

    def _open(self, days_kept: int, condemned: Identity | None = None) -> None:
        if self._database is not None:
            self._database.close()
        if self.file is None:
            connection = connect_in_memory()
            migrate(connection, STEPS)
            database = Database(None, connection)
        else:
            opened = open_database(self.file, condemned=condemned)
            self.notices = opened.notices
            database = opened.database
        self._database = database
        if self._owner is None or not self._owner.is_there:
            with translated(self.file):
                self._owner = Owner(self.file.parent if self.file else None)
        self.chats = Chats(database)
        self.messages = Messages(database)
        self.answers = Answers(database, self._owner)
        self.importer = Importer(database)
        self.trash = Trash(database)
        self.search = ChatSearch(database)
        self.answers.recover()
        self._owner.sweep()
        if self.file is not None:
            self.expired = self.trash.expire(days_kept)


def conversations_file(data_dir: Path) -> Path:
    """Where the chats of a data folder are."""
    return data_dir / "conversations" / "chats.sqlite"


def open_conversations(data_dir: Path) -> Conversations:
    """Open the chats, making the file on first use. Raises ConversationError."""
    return Conversations(conversations_file(data_dir))


def temporary_conversations() -> Conversations:
    """Chats with the same interface that are gone when it is closed."""
    return Conversations(None)
