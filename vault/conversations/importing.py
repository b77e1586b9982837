"""Puts chats from elsewhere into the store; what is there already is recognised and left."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import apsw

from vault.conversations.chats import insert_chat
from vault.conversations.database import Database
from vault.conversations.exporting import ChatDocument
from vault.conversations.indexing import index_message
from vault.conversations.rows import encoded_extras, insert_message
from vault.conversations.sound import derived_id, sound
from vault.conversations.stored import from_time, readable, storable
from vault.conversations.values import Chat, MessageNode

_MESSAGES_A_TRANSACTION = 2000


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not taken, and why."""

    what: str
    why: str


@dataclass(slots=True)
class ImportReport:
    """What an import did."""

    chats_added: int = 0
    chats_extended: int = 0
    chats_unchanged: int = 0
    messages_added: int = 0
    added: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


class Importer:
    """Blocking; any thread may call. Raises ConversationError when the store fails."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, chats: Iterable[ChatDocument | Skipped]) -> ImportReport:
        """Add chats, each whole or not at all."""
        report = ImportReport()
        waiting: list[ChatDocument] = []
        for chat in chats:
            if isinstance(chat, Skipped):
                report.skipped.append(chat)
                continue
            waiting.append(sound(chat))
            if sum(len(each.messages) for each in waiting) >= _MESSAGES_A_TRANSACTION:
                self._add_all(waiting, report)
                waiting.clear()
        self._add_all(waiting, report)
        return report

    def _add_all(self, chats: list[ChatDocument], report: ImportReport) -> None:
        if chats:
            with self._database.writing() as connection:
                for chat in chats:
                    _add(connection, chat, report)


def _add(connection: apsw.Connection, chat: ChatDocument, report: ImportReport) -> None:
    query = "SELECT key, deleted FROM chat WHERE id = ?"
    row = connection.execute(query, (chat.id,)).fetchone()
    if row is not None and row[1]:
        why = "it is in the trash; restore it there"
        report.skipped.append(Skipped(_called(chat), why))
        return
    key = int(row[0]) if row is not None else insert_chat(connection, _bare(chat))
    added = _add_messages(connection, key, chat, is_new=row is None)
    report.messages_added += added
    if row is None:
        report.chats_added += 1
        report.added.append(chat.id)
    elif added:
        report.chats_extended += 1
    else:
        report.chats_unchanged += 1


def _add_messages(connection: apsw.Connection, key: int, chat: ChatDocument, is_new: bool) -> int:
    keys: dict[str, int] = {"": 0}
    added = 0
    leaf = connection.execute("SELECT leaf FROM chat WHERE key = ?", (key,)).get
    is_at_end = is_new
    for node in chat.messages:
        id, known = _place(connection, key, chat.id, node.id)
        if known is not None:
            keys[node.id] = known
            added += _complete(connection, known, node)
            continue
        parent = keys[node.parent]
        # A branch that was left where it ended goes on to the new end.
        is_at_end = is_at_end or parent == leaf
        keys[node.id] = insert_message(connection, key, parent, replace(node, id=id))
        index_message(connection, keys[node.id], node.text)
        added += 1
    if added:
        end = keys.get(chat.leaf, 0) if is_at_end else leaf
        connection.execute(
            "UPDATE chat SET leaf = ?, changed = max(changed, ?), clock ="
            " (SELECT max(used) FROM message WHERE message.chat = chat.key) WHERE key = ?",
            (end, from_time(chat.changed)[0], key),
        )
    return added


def _complete(connection: apsw.Connection, key: int, node: MessageNode) -> bool:
    """Take over how an answer ended that was broken off when it was stored."""
    state, text = connection.execute(
        "SELECT state, CAST(text AS BLOB) FROM message WHERE key = ?", (key,)
    ).get
    old, new = readable(text), storable(node.text)
    is_further = len(new) > len(old) or node.state != "interrupted"
    if state != "interrupted" or not new.startswith(old) or not is_further:
        return False
    connection.execute(
        "UPDATE message SET text = ?, thinking = ?, state = ?, extras = ? WHERE key = ?",
        (new, storable(node.thinking), node.state, encoded_extras(node.extras), key),
    )
    index_message(connection, key, new, is_new=False)
    return True


def _place(connection: apsw.Connection, chat: int, chat_id: str, id: str) -> tuple[str, int | None]:
    """The id a message gets, and its row where the chat has it already."""
    for candidate in (id, derived_id(chat_id, id)):
        query = "SELECT key, chat FROM message WHERE id = ?"
        row = connection.execute(query, (candidate,)).fetchone()
        if row is None or row[1] == chat:
            return candidate, None if row is None else int(row[0])
    return secrets.token_hex(16), None


def _bare(chat: ChatDocument) -> Chat:
    return Chat(
        chat.id,
        " ".join(storable(chat.title).split()),
        chat.titled_by,
        chat.created,
        chat.changed,
        is_pinned=chat.is_pinned,
        tags=chat.tags,
        options=chat.options,
        forked_from=chat.forked_from,
        source=chat.source,
    )


def _called(chat: ChatDocument) -> str:
    return f"chat “{storable(chat.title) or chat.id}”"
