"""The messages of chats: added as branches, chosen, deleted and had back."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import apsw

from vault.conversations.database import Database
from vault.conversations.errors import MessageMissing
from vault.conversations.indexing import index_message
from vault.conversations.reading import chat_key, find, message_row, read_tree, short_name
from vault.conversations.rows import (
    MESSAGE_QUERY,
    encoded_extras,
    insert_message,
    node_of,
    pieces_of,
    to_messages,
)
from vault.conversations.stored import from_time, now, storable
from vault.conversations.tree import ChatTree
from vault.conversations.values import Citation, Deleted, Draft, Extras, MessageNode


class Messages:
    """Blocking; any thread may call. All raise ConversationError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def tree(self, chat: str) -> ChatTree:
        """All messages of a chat, answers under way as far as they are."""
        with self._database.reading() as connection:
            return read_tree(connection, chat_key(connection, chat))

    def add(self, chat: str, draft: Draft, parent: str | None = None) -> MessageNode:
        """Store a message after `parent`: None is the end of what is shown, "" the top.

        It is on the disk when this returns, and its branch is the one shown.
        """
        node = node_of(draft, secrets.token_hex(16), 0)
        with self._database.writing() as connection:
            key = add_node(connection, chat, node, parent)
            index_message(connection, key, node.text)
            return read_node(connection, key)

    def revise(self, message: str, draft: Draft) -> MessageNode:
        """Store another version of a message: a branch beside it, which is shown from now on."""
        with self._database.reading() as connection:
            _, chat, _, _ = message_row(connection, message)
            id, tree = _chat_id(connection, chat), read_tree(connection, chat)
        return self.add(id, draft, tree.parent(message))

    def amend(self, message: str, extras: Extras) -> None:
        """Replace what goes with a message: recalled passages, attachments, figures."""
        with self._database.writing() as connection:
            key, *_ = message_row(connection, message)
            connection.execute(
                "UPDATE message SET extras = ? WHERE key = ?", (encoded_extras(extras), key)
            )

    def select(self, message: str) -> ChatTree:
        """Show the branch of a message, down to where it was left last."""
        with self._database.writing() as connection:
            _, chat, _, _ = message_row(connection, message)
            tree = read_tree(connection, chat)
            if tree.get(message) is None:
                raise MessageMissing("That message was deleted.")
            _show(connection, chat, tree.leaf_below(message))
            return read_tree(connection, chat)

    def cut_to(self, message: str) -> ChatTree:
        """Show the chat only down to this message; what is added next makes a branch there."""
        with self._database.writing() as connection:
            _, chat, _, _ = message_row(connection, message)
            _show(connection, chat, message)
            return read_tree(connection, chat)

    def delete(self, message: str, has_replies: bool = False) -> Deleted:
        """Put a message into the trash, with everything after it when `has_replies`.

        Replies that stay follow what was before it.
        """
        with self._database.writing() as connection:
            _, chat, _, _ = message_row(connection, message)
            tree = read_tree(connection, chat)
            if tree.get(message) is None:
                raise MessageMissing("That message was deleted already.")
            ids = tree.below(message) if has_replies else (message,)
            _mark(connection, ids, from_time(now())[0])
            return Deleted(messages=ids, forget=(_chat_id(connection, chat),))

    def delete_each(self, ids: Sequence[str]) -> None:
        """Put these messages into the trash and no others, all of them or none."""
        with self._database.writing() as connection:
            for id in ids:
                message_row(connection, id)
            _mark(connection, ids, from_time(now())[0])

    def restore(self, ids: Sequence[str]) -> None:
        """Take deleted messages out of the trash."""
        with self._database.writing() as connection:
            for id in ids:
                message_row(connection, id)
            _mark(connection, ids, 0)

    def find(self, name: str) -> Citation:
        """What `conv:HASH`, an id or the beginning of one names."""
        with self._database.reading() as connection:
            return find(connection, name)

    def citation(self, id: str) -> str:
        """`conv:HASH` for a chat or message, as short as it is unmistakable."""
        with self._database.reading() as connection:
            return f"conv:{short_name(connection, storable(id))}"


def add_node(
    connection: apsw.Connection, chat: str, node: MessageNode, parent: str | None, owner: str = ""
) -> int:
    """Add a message to a chat and show its branch; returns its key."""
    key = chat_key(connection, chat)
    above = _parent_key(connection, key, parent)
    message = insert_message(connection, key, above, node, owner)
    _show(connection, key, node.id)
    return message


def read_node(connection: apsw.Connection, key: int) -> MessageNode:
    """One message as stored."""
    rows = connection.execute(f"{MESSAGE_QUERY} WHERE message.key = ?", (key,)).fetchall()
    (node,) = to_messages(rows, pieces_of(connection, "= ?", key))
    return node


def touch(connection: apsw.Connection, chat: int) -> None:
    """Say that a chat changed now."""
    moment, _ = from_time(now())
    connection.execute("UPDATE chat SET changed = max(changed, ?) WHERE key = ?", (moment, chat))


def _parent_key(connection: apsw.Connection, chat: int, parent: str | None) -> int:
    if parent == "":
        return 0
    if parent is None:
        return _shown_end(connection, chat)
    key, owner, _, _ = message_row(connection, parent)
    if owner != chat:
        raise MessageMissing("The message to follow is in another chat.")
    return key


def _shown_end(connection: apsw.Connection, chat: int) -> int:
    key = connection.execute("SELECT leaf FROM chat WHERE key = ?", (chat,)).get
    while key:
        row = connection.execute(
            "SELECT parent, deleted FROM message WHERE key = ?", (key,)
        ).fetchone()
        if row is None or not row[1]:
            break
        key = row[0]
    if key:
        return int(key)
    # Everything on the branch was deleted, so the tree has chosen another.
    leaf = read_tree(connection, chat).leaf
    return message_row(connection, leaf)[0] if leaf else 0


def _show(connection: apsw.Connection, chat: int, leaf: str) -> None:
    connection.execute(
        "UPDATE chat SET leaf = coalesce((SELECT key FROM message WHERE id = ?), 0),"
        " clock = clock + 1 WHERE key = ?",
        (leaf, chat),
    )
    connection.execute(
        "UPDATE message SET used = (SELECT clock FROM chat WHERE key = ?) WHERE id = ?",
        (chat, leaf),
    )
    touch(connection, chat)


def _mark(connection: apsw.Connection, ids: Sequence[str], deleted: int) -> None:
    connection.executemany(
        "UPDATE message SET deleted = ? WHERE id = ?", [(deleted, id) for id in ids]
    )


def _chat_id(connection: apsw.Connection, chat: int) -> str:
    return str(connection.execute("SELECT id FROM chat WHERE key = ?", (chat,)).get)
