"""Rows of the tables as values and back. Text is read as bytes, which damage cannot make fail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import apsw

from vault.conversations.stored import decoded, encoded, from_time, now, readable, storable, to_time
from vault.conversations.values import (
    DEFAULT_OPTIONS,
    NO_EXTRAS,
    Chat,
    ChatOptions,
    Draft,
    Extras,
    MessageNode,
    Role,
    State,
    TitledBy,
)

_OPENING = 200

CHAT_QUERY = f"""
SELECT chat.id, CAST(title AS BLOB), titled_by, chat.created, chat.zone, changed,
    (SELECT id FROM message WHERE message.key = chat.leaf), is_pinned, CAST(tags AS BLOB),
    CAST(options AS BLOB), forked_from, source, chat.deleted,
    (SELECT count(*) FROM message WHERE message.chat = chat.key),
    (SELECT substr(CAST(text AS BLOB), 1, {_OPENING}) FROM message
        WHERE message.chat = chat.key AND role = 'user' ORDER BY message.key LIMIT 1)
FROM chat
"""
MESSAGE_QUERY = """
SELECT message.key, message.id, above.id, message.role, CAST(message.text AS BLOB),
    message.created, message.zone, message.state, CAST(message.thinking AS BLOB), message.model,
    CAST(message.extras AS BLOB), message.used, message.deleted
FROM message LEFT JOIN message AS above ON above.key = message.parent
"""


def to_chat(row: tuple[Any, ...]) -> Chat:
    """A row of `CHAT_QUERY`."""
    id, title, titled_by, created, zone, changed, leaf, pinned, tags, options, *rest = row
    forked_from, source, deleted, messages, opening = rest
    return Chat(
        id,
        readable(title),
        cast(TitledBy, titled_by),
        to_time(created, zone),
        to_time(changed, zone),
        leaf or "",
        bool(pinned),
        decoded(tags, tuple[str, ...], ()),
        decoded(options, ChatOptions, DEFAULT_OPTIONS),
        forked_from,
        source,
        to_time(deleted, zone) if deleted else None,
        messages,
        readable(opening or b"").rstrip("\ufffd"),
    )


def to_messages(rows: Iterable[tuple[Any, ...]], pieces: dict[int, list[str]]) -> list[MessageNode]:
    """Rows of `MESSAGE_QUERY`; `pieces` are the answer and thinking not yet joined, by key."""
    return [_to_message(row, pieces.get(row[0], ["", ""])) for row in rows]


def _to_message(row: tuple[Any, ...], pieces: list[str]) -> MessageNode:
    _, id, parent, role, text, created, zone, state, thinking, model, extras, used, deleted = row
    return MessageNode(
        id,
        parent or "",
        cast(Role, role),
        readable(text) + pieces[0],
        to_time(created, zone),
        cast(State, state),
        readable(thinking) + pieces[1],
        model,
        decoded(extras, Extras, NO_EXTRAS),
        used,
        bool(deleted),
    )


def pieces_of(connection: apsw.Connection, condition: str, value: int) -> dict[int, list[str]]:
    """The answers under way, by message: what was said and what was thought."""
    found: dict[int, list[str]] = {}
    rows = connection.execute(
        "SELECT message, span, CAST(text AS BLOB) FROM piece"
        f" WHERE message {condition} ORDER BY key",
        (value,),
    )
    for message, span, text in rows:
        pair = found.setdefault(message, ["", ""])
        pair[span == "thinking"] += readable(text)
    return found


def insert_message(
    connection: apsw.Connection, chat: int, parent: int, node: MessageNode, owner: str = ""
) -> int:
    """Add a message and return its key."""
    created, zone = from_time(node.created)
    connection.execute(
        "INSERT INTO message (id, chat, parent, role, state, created, zone, used, deleted, owner,"
        " model, text, thinking, extras) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)",
        (
            *(node.id, chat, parent, node.role, node.state, created, zone, node.used, owner),
            *(storable(node.model), storable(node.text), storable(node.thinking)),
            encoded_extras(node.extras),
        ),
    )
    return connection.last_insert_rowid()


def node_of(draft: Draft, id: str, used: int) -> MessageNode:
    """A message that is about to be stored."""
    return MessageNode(
        id=id,
        parent="",
        role=draft.role,
        text=storable(draft.text),
        created=draft.created or now(),
        state=draft.state,
        thinking=storable(draft.thinking),
        model=storable(draft.model),
        extras=draft.extras,
        used=used,
    )


def encoded_extras(extras: Extras) -> str:
    """Extras as stored; nothing for none."""
    return "" if extras == NO_EXTRAS else encoded(extras)
