"""Finds chats and messages by their ids and short names, inside somebody's transaction."""

from __future__ import annotations

import re

import apsw

from vault.conversations.errors import Ambiguous, ChatMissing, MessageMissing
from vault.conversations.rows import MESSAGE_QUERY, pieces_of, to_messages
from vault.conversations.stored import storable
from vault.conversations.tree import ChatTree
from vault.conversations.values import Citation

SHORT = 8
_MOST_LISTED = 6
_HASH = re.compile(r"(?:conv:)?([0-9a-f]{4,64})", re.IGNORECASE)


def chat_key(connection: apsw.Connection, id: str) -> int:
    """The row of a chat. Raises ChatMissing."""
    key = connection.execute("SELECT key FROM chat WHERE id = ?", (storable(id),)).get
    if key is None:
        _check_index(connection, "chat", id)
        raise ChatMissing("There is no such chat; it was deleted.")
    return int(key)


def message_row(connection: apsw.Connection, id: str) -> tuple[int, int, int, str]:
    """Key, chat, parent and state of a message. Raises MessageMissing."""
    row = connection.execute(
        "SELECT key, chat, parent, state FROM message WHERE id = ?", (storable(id),)
    ).fetchone()
    if row is None:
        _check_index(connection, "message", id)
        raise MessageMissing("There is no such message; it was deleted.")
    return row[0], row[1], row[2], row[3]


def _check_index(connection: apsw.Connection, table: str, id: str) -> None:
    """Look without the index whether something is really missing."""
    if connection.execute(f"SELECT 1 FROM {table} WHERE +id = ?", (storable(id),)).get:
        raise apsw.CorruptError(f"an index of the table {table} does not fit it")


def read_tree(connection: apsw.Connection, chat: int) -> ChatTree:
    """Every message of a chat, deleted ones too, with the answers under way as far as they are."""
    rows = connection.execute(
        f"{MESSAGE_QUERY} WHERE message.chat = ? ORDER BY message.key", (chat,)
    ).fetchall()
    pieces = pieces_of(
        connection, "IN (SELECT key FROM message WHERE owner <> '' AND chat = ?)", chat
    )
    leaf = connection.execute(
        "SELECT id FROM message WHERE key = (SELECT leaf FROM chat WHERE key = ?)", (chat,)
    ).get
    return ChatTree(to_messages(rows, pieces), leaf or "")


def find(connection: apsw.Connection, name: str) -> Citation:
    """The chat or message that `conv:HASH`, an id or its beginning names.

    A whole id wins, then chats before messages. Raises Ambiguous, ChatMissing.
    """
    found = _HASH.fullmatch(name.strip())
    beginning = found[1].lower() if found else storable(name.strip())
    chats = connection.execute("SELECT id FROM chat WHERE id = ?", (beginning,)).fetchall()
    messages = connection.execute(
        "SELECT chat.id, message.id FROM message JOIN chat ON chat.key = message.chat"
        " WHERE message.id = ?",
        (beginning,),
    ).fetchall()
    if not chats and not messages and found:
        # Ids are ASCII, so that what begins so lies between two texts.
        between = (beginning, beginning + "\x7f", _MOST_LISTED + 1)
        chats = connection.execute(
            "SELECT id FROM chat WHERE id >= ? AND id < ? LIMIT ?", between
        ).fetchall()
        messages = connection.execute(
            "SELECT chat.id, message.id FROM message JOIN chat ON chat.key = message.chat"
            " WHERE message.id >= ? AND message.id < ? LIMIT ?",
            between,
        ).fetchall()
    citations = [Citation(str(id)) for (id,) in chats]
    citations += [Citation(str(chat), str(message)) for chat, message in messages]
    if not citations:
        raise ChatMissing(f"No chat and no message is called “{name.strip()}”.")
    if len(citations) > 1:
        names = [each.message or each.chat for each in citations[:_MOST_LISTED]]
        raise Ambiguous(
            f"“{name.strip()}” is the beginning of several names; write more of it:"
            f" {', '.join(names)}{' and more' if len(citations) > _MOST_LISTED else ''}."
        )
    return citations[0]


def short_name(connection: apsw.Connection, id: str) -> str:
    """The shortest beginning of an id, of at least eight characters, that no other has."""
    near: list[str] = []
    for table in ("chat", "message"):
        for order, sign in (("", ">"), (" DESC", "<")):
            near += [
                row[0]
                for row in connection.execute(
                    f"SELECT id FROM {table} WHERE id {sign} ? ORDER BY id{order} LIMIT 1", (id,)
                )
            ]
    length = SHORT
    while length < len(id) and any(each[:length] == id[:length] for each in near):
        length += 1
    return id[:length]
