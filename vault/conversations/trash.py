"""Deleted chats and messages: kept for a while, then gone for good, text and all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import apsw

from vault.conversations.database import Database
from vault.conversations.indexing import forget_message, wipe_forgotten
from vault.conversations.reading import chat_key
from vault.conversations.rows import CHAT_QUERY, to_chat
from vault.conversations.stored import encoded, from_time, now
from vault.conversations.values import Chat, Deleted

DAYS_KEPT = 30


@dataclass(frozen=True, slots=True)
class Purged:
    """What went for good. `is_wiped` is False while another program's reading keeps old text."""

    deleted: Deleted
    is_wiped: bool = True


class Trash:
    """Blocking; any thread may call. All raise ConversationError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, ids: Sequence[str]) -> Deleted:
        """Delete chats; `take_back` undoes it."""
        moment, _ = from_time(now())
        with self._database.writing() as connection:
            for key in [chat_key(connection, id) for id in ids]:
                query = "UPDATE chat SET deleted = ? WHERE key = ? AND deleted = 0"
                connection.execute(query, (moment, key))
            _owe(connection, ids)
        return Deleted(chats=tuple(ids), forget=tuple(ids))

    def take_back(self, ids: Sequence[str]) -> None:
        """Undo the deletion of chats."""
        with self._database.writing() as connection:
            for key in [chat_key(connection, id) for id in ids]:
                connection.execute("UPDATE chat SET deleted = 0 WHERE key = ?", (key,))

    def listed(self) -> list[Chat]:
        """The deleted chats that can be had back, the latest deleted first."""
        with self._database.reading() as connection:
            rows = connection.execute(f"{CHAT_QUERY} WHERE deleted <> 0 ORDER BY deleted DESC")
            return [to_chat(row) for row in rows]

    def owed(self) -> tuple[str, ...]:
        """Owners of caches that the engine has not been told to forget yet."""
        with self._database.reading() as connection:
            return tuple(str(owner) for (owner,) in connection.execute("SELECT owner FROM owed"))

    def settle(self, owners: Sequence[str]) -> None:
        """Say that the engine forgot them."""
        with self._database.writing() as connection:
            connection.executemany("DELETE FROM owed WHERE owner = ?", [(id,) for id in owners])

    def purge(self, ids: Sequence[str] | None = None) -> Purged:
        """Delete chats for good, whether in the trash or not; without ids, all of the trash."""
        with self._database.writing() as connection:
            if ids is None:
                deleted = _purge(connection, "deleted > ?", (0,))
            else:
                keys = encoded([chat_key(connection, id) for id in ids])
                condition = "key IN (SELECT value FROM json_each(?))"
                deleted = _purge(connection, condition, (keys,), has_messages=False)
        return Purged(deleted, self._database.empty_log())

    def expire(self, days: int = DAYS_KEPT) -> Purged:
        """Delete for good what has been in the trash for longer than that."""
        before, _ = from_time(now() - timedelta(days=days))
        condition = "deleted <> 0 AND deleted < ?"
        with self._database.reading() as connection:
            due = any(
                connection.execute(f"SELECT 1 FROM {table} WHERE {condition}", (before,)).get
                for table in ("chat", "message")
            )
        if not due:
            return Purged(Deleted())
        with self._database.writing() as connection:
            deleted = _purge(connection, condition, (before,))
        return Purged(deleted, self._database.empty_log())


def _purge(
    connection: apsw.Connection,
    condition: str,
    values: tuple[int | str],
    has_messages: bool = True,
) -> Deleted:
    chats = _found(connection, f"SELECT key, id FROM chat WHERE {condition}", values)
    messages: dict[int, str] = {}
    if has_messages:
        messages = _found(connection, f"SELECT key, id FROM message WHERE {condition}", values)
    for key in messages:
        _remove_message(connection, key)
    for key in chats:
        query = "SELECT key, id FROM message WHERE chat = ?"
        for message in _found(connection, query, (key,)):
            forget_message(connection, message)
        connection.execute("DELETE FROM chat WHERE key = ?", (key,))
    if chats or messages:
        wipe_forgotten(connection)
    ids = tuple(chats.values())
    _owe(connection, ids)
    return Deleted(ids, tuple(messages.values()), ids)


def _owe(connection: apsw.Connection, owners: Sequence[str]) -> None:
    connection.executemany("INSERT OR IGNORE INTO owed VALUES (?)", [(id,) for id in owners])


def _found(connection: apsw.Connection, query: str, values: tuple[int | str]) -> dict[int, str]:
    rows: list[Any] = connection.execute(query, values).fetchall()
    return dict(rows)


def _remove_message(connection: apsw.Connection, key: int) -> None:
    """Take one message out; its replies follow what was before it."""
    forget_message(connection, key)
    above = "(SELECT parent FROM message WHERE key = ?)"
    connection.execute(f"UPDATE message SET parent = {above} WHERE parent = ?", (key, key))
    connection.execute(f"UPDATE chat SET leaf = {above} WHERE leaf = ?", (key, key))
    connection.execute("DELETE FROM message WHERE key = ?", (key,))
