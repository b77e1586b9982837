"""The conversation store: opens the file, or one in memory, and holds the parts that use it."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from vault.conversations.answers import Answers
from vault.conversations.chats import Chats
from vault.conversations.database import Database, connect_in_memory, translated
from vault.conversations.errors import ConversationError
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
        self._open(days_kept)

    @property
    def is_temporary(self) -> bool:
        """Whether nothing of it touches the disk."""
        return self.file is None

    def mend(self) -> None:
        """Open the file anew: a damaged one is set aside and what can be saved is saved."""
        with self._lock:
            self._let_go()
            self._open(DAYS_KEPT, is_doubted=True)

    def close(self) -> None:
        """End answers under way as interrupted, and let go of the file."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._let_go()

    def __enter__(self) -> Conversations:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _let_go(self) -> None:
        # What cannot be ended now, the next start finds unfinished and without an owner.
        with contextlib.suppress(ConversationError):
            self.answers.close()
        self._database.close()
        self._owner.close()

    def _open(self, days_kept: int, is_doubted: bool = False) -> None:
        if self.file is None:
            connection = connect_in_memory()
            migrate(connection, STEPS)
            self._database, self._owner = Database(None, connection), Owner(None)
        else:
            opened = open_database(self.file, is_doubted=is_doubted)
            self.notices = opened.notices
            self._database = opened.database
            with translated(self.file):
                self._owner = Owner(self.file.parent)
        self.chats = Chats(self._database)
        self.messages = Messages(self._database)
        self.answers = Answers(self._database, self._owner)
        self.importer = Importer(self._database)
        self.trash = Trash(self._database)
        self.search = ChatSearch(self._database)
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
