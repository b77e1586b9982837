"""Answers while they are written: begun, continued in batches, ended.

Whoever writes an answer is its owner; when the owner no longer runs, the answer is interrupted.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from vault.conversations.database import Database
from vault.conversations.errors import MessageMissing
from vault.conversations.indexing import index_message
from vault.conversations.messages import add_node, read_node, touch
from vault.conversations.owners import Owner
from vault.conversations.reading import message_row
from vault.conversations.rows import encoded_extras, node_of, pieces_of
from vault.conversations.stored import readable, storable
from vault.conversations.values import NO_EXTRAS, Draft, EndState, Extras, MessageNode


class Answers:
    """Blocking; any thread may call. All raise ConversationError."""

    def __init__(self, database: Database, owner: Owner) -> None:
        self._database = database
        self._owner = owner

    def begin(self, chat: str, model: str = "", parent: str | None = None) -> MessageNode:
        """Store an empty answer that is in progress; `parent` as in `Messages.add`."""
        node = node_of(Draft("assistant", "", model=model), secrets.token_hex(16), 0)
        node = replace(node, state="in-progress")
        with self._database.writing() as connection:
            key = add_node(connection, chat, node, parent, self._owner.name)
            return read_node(connection, key)

    def resume(self, message: str) -> MessageNode:
        """Go on with an answer that was cut, stopped or interrupted."""
        with self._database.writing() as connection:
            key, _, _, state = message_row(connection, message)
            if state == "in-progress":
                raise MessageMissing("That answer is still being written.")
            connection.execute(
                "UPDATE message SET state = 'in-progress', owner = ? WHERE key = ?",
                (self._owner.name, key),
            )
            return read_node(connection, key)

    def append(self, message: str, text: str = "", thinking: str = "") -> None:
        """Add a batch to an answer in progress; it is on the disk when this returns."""
        with self._database.writing() as connection:
            key = self._require(connection, message)
            for span, piece in (("thinking", thinking), ("text", text)):
                if piece:
                    connection.execute(
                        "INSERT INTO piece (message, span, text) VALUES (?, ?, ?)",
                        (key, span, storable(piece)),
                    )

    def finish(
        self, message: str, state: EndState = "complete", extras: Extras = NO_EXTRAS
    ) -> MessageNode:
        """End an answer; `extras` are its figures and the tools it called."""
        with self._database.writing() as connection:
            key = self._require(connection, message)
            _end(connection, key, state)
            if extras != NO_EXTRAS:
                connection.execute(
                    "UPDATE message SET extras = ? WHERE key = ?", (encoded_extras(extras), key)
                )
            return read_node(connection, key)

    def abandon(self, messages: Sequence[str]) -> None:
        """End those that this store was writing as interrupted; they go on elsewhere."""
        with self._database.writing() as connection:
            for id in messages:
                query = "SELECT key FROM message WHERE id = ? AND owner = ?"
                key = connection.execute(query, (id, self._owner.name)).get
                if key is not None:
                    _end(connection, int(key), "interrupted")

    def recover(self) -> int:
        """Mark the answers whose owner no longer runs as interrupted; returns how many."""
        with self._database.reading() as connection:
            query = "SELECT DISTINCT owner FROM message WHERE owner <> ''"
            owners = [name for (name,) in connection.execute(query)]
        gone = [name for name in owners if not self._owner.is_running(name)]
        return sum(self._interrupt(name) for name in gone)

    def close(self) -> None:
        """End what this store was still writing."""
        self._interrupt(self._owner.name)

    def _interrupt(self, owner: str) -> int:
        with self._database.reading() as connection:
            if not connection.execute("SELECT 1 FROM message WHERE owner = ?", (owner,)).get:
                return 0
        with self._database.writing() as connection:
            query = "SELECT key FROM message WHERE owner = ?"
            rows: list[Any] = connection.execute(query, (owner,)).fetchall()
            for (key,) in rows:
                _end(connection, key, "interrupted")
        return len(rows)

    def _require(self, connection: apsw.Connection, message: str) -> int:
        key, _, _, state = message_row(connection, message)
        owner = connection.execute("SELECT owner FROM message WHERE key = ?", (key,)).get
        if state != "in-progress" or owner != self._owner.name:
            raise MessageMissing("That answer is not being written any more.")
        return key


def _end(connection: apsw.Connection, key: int, state: EndState) -> None:
    pieces = pieces_of(connection, "= ?", key).get(key, ["", ""])
    text, thinking, chat = connection.execute(
        "SELECT CAST(text AS BLOB), CAST(thinking AS BLOB), chat FROM message WHERE key = ?", (key,)
    ).get
    said, thought = readable(text) + pieces[0], readable(thinking) + pieces[1]
    connection.execute(
        "UPDATE message SET text = ?, thinking = ?, state = ?, owner = '' WHERE key = ?",
        (said, thought, state, key),
    )
    connection.execute("DELETE FROM piece WHERE message = ?", (key,))
    index_message(connection, key, said, is_new=False)
    touch(connection, chat)
