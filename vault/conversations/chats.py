"""The chats themselves: made, listed, named, pinned, tagged, forked."""

from __future__ import annotations

import secrets
from collections.abc import Collection

import apsw

from vault.conversations.database import Database
from vault.conversations.errors import MessageMissing
from vault.conversations.indexing import index_message
from vault.conversations.reading import chat_key, read_tree
from vault.conversations.rows import CHAT_QUERY, insert_message, to_chat
from vault.conversations.stored import encoded, from_time, now, storable
from vault.conversations.values import DEFAULT_OPTIONS, Chat, ChatOptions, MessageNode, TitledBy

_ORDER = " ORDER BY is_pinned DESC, changed DESC, chat.key DESC"


class Chats:
    """Blocking; any thread may call. All raise ConversationError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, options: ChatOptions = DEFAULT_OPTIONS, title: str = "", id: str = "") -> Chat:
        """Make an empty chat."""
        with self._database.writing() as connection:
            id = id or secrets.token_hex(16)
            insert_chat(connection, new_chat(id, title, options))
        return self.get(id)

    def get(self, id: str) -> Chat:
        """A chat, also one in the trash."""
        with self._database.reading() as connection:
            return _read(connection, chat_key(connection, id))

    def listed(self, limit: int = -1, tags: Collection[str] = (), offset: int = 0) -> list[Chat]:
        """The chats that are not in the trash, pinned ones first, then the latest used."""
        wanted = encoded(sorted(tag_key(tag) for tag in tags))
        with self._database.reading() as connection:
            rows = connection.execute(
                f"{CHAT_QUERY} WHERE chat.key IN ("
                "SELECT key FROM chat WHERE deleted = 0 AND NOT EXISTS ("
                "SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS ("
                "SELECT 1 FROM json_each(chat.tags) AS own WHERE own.value = wanted.value))"
                f"{_ORDER} LIMIT ? OFFSET ?){_ORDER}",
                (wanted, limit, offset),
            )
            return [to_chat(row) for row in rows]

    def rename(self, id: str, title: str, by: TitledBy = "user") -> Chat:
        """Give a title; the model's never replaces the user's. An empty one takes it back."""
        title = " ".join(storable(title).split())
        by = by if title else "nobody"
        with self._database.writing() as connection:
            key = chat_key(connection, id)
            connection.execute(
                "UPDATE chat SET title = ?, titled_by = ?"
                " WHERE key = ? AND (? <> 'model' OR titled_by <> 'user')",
                (title, by, key, by),
            )
        return self.get(id)

    def pin(self, id: str, is_pinned: bool = True) -> Chat:
        """Keep a chat at the top of the list, or no longer."""
        return self._set(id, "is_pinned", is_pinned)

    def tag(self, id: str, tags: Collection[str]) -> Chat:
        """Set the tags: whole words, without a number sign, each once."""
        return self._set(id, "tags", encoded(sorted({tag_key(tag) for tag in tags} - {""})))

    def set_options(self, id: str, options: ChatOptions) -> Chat:
        """Change how the chat is answered from now on."""
        return self._set(id, "options", encoded(options))

    def fork(self, id: str, message: str, title: str = "") -> Chat:
        """Make a chat of its own that begins with the messages up to `message`."""
        with self._database.writing() as connection:
            key = chat_key(connection, id)
            tree = read_tree(connection, key)
            path = tree.path(message) if tree.get(message) else ()
            if not path:
                raise MessageMissing("The message to fork from was deleted.")
            old = _read(connection, key)
            fork = new_chat(secrets.token_hex(16), title or old.title, old.options)
            key = insert_chat(connection, fork, message)
            parent = 0
            for used, node in enumerate(path, 1):
                parent = _copy(connection, key, parent, node, used)
            connection.execute(
                "UPDATE chat SET leaf = ?, clock = ?, titled_by = ? WHERE key = ?",
                (parent, len(path), fork.titled_by if title else old.titled_by, key),
            )
        return self.get(fork.id)

    def _set(self, id: str, column: str, value: str | bool) -> Chat:
        with self._database.writing() as connection:
            key = chat_key(connection, id)
            connection.execute(f"UPDATE chat SET {column} = ? WHERE key = ?", (value, key))
        return self.get(id)


def new_chat(id: str, title: str, options: ChatOptions) -> Chat:
    """A chat that is about to be stored."""
    title = " ".join(storable(title).split())
    moment = now()
    return Chat(id, title, "user" if title else "nobody", moment, moment, options=options)


def _read(connection: apsw.Connection, key: int) -> Chat:
    return to_chat(connection.execute(f"{CHAT_QUERY} WHERE chat.key = ?", (key,)).get)


def insert_chat(connection: apsw.Connection, chat: Chat, forked_from: str = "") -> int:
    """Add a chat and return its key."""
    created, zone = from_time(chat.created)
    connection.execute(
        "INSERT INTO chat (id, title, titled_by, created, zone, changed, is_pinned, forked_from,"
        " source, tags, options) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(storable(chat.id), storable(chat.title), chat.titled_by, created, zone),
            *(from_time(chat.changed)[0], chat.is_pinned),
            *(storable(forked_from or chat.forked_from), storable(chat.source)),
            *(encoded(chat.tags), encoded(chat.options)),
        ),
    )
    return connection.last_insert_rowid()


def tag_key(tag: str) -> str:
    """A tag as it is stored and compared."""
    return "-".join(storable(tag).strip().lstrip("#").split()).casefold()


def _copy(connection: apsw.Connection, chat: int, parent: int, node: MessageNode, used: int) -> int:
    copy = MessageNode(
        id=secrets.token_hex(16),
        parent="",
        role=node.role,
        text=node.text,
        created=node.created,
        # What another window is still writing ends here for this chat.
        state="interrupted" if node.state == "in-progress" else node.state,
        thinking=node.thinking,
        model=node.model,
        extras=node.extras,
        used=used,
    )
    key = insert_message(connection, chat, parent, copy)
    index_message(connection, key, copy.text)
    return key
