"""The tables of the conversation store, and the steps from one version to the next.

Each row of text begins with a mark, so that it can be told in a file whose structure is lost.
The tables of words hold no text of their own (FTS5 `content=''`).
https://www.sqlite.org/fts5.html
"""

import apsw

from vault.index.schema import GRAMS_TOKENIZER, WORDS_TOKENIZER

APPLICATION_ID = 0x7A696263
CHAT_COLUMNS = (
    *("key", "mark", "id", "title", "titled_by", "created", "zone", "changed", "is_pinned"),
    *("deleted", "leaf", "clock", "forked_from", "source", "tags", "options"),
)
MESSAGE_COLUMNS = (
    *("key", "mark", "id", "chat", "parent", "role", "state", "created", "zone", "used"),
    *("deleted", "owner", "model", "text", "thinking", "extras"),
)
PIECE_COLUMNS = ("key", "mark", "message", "span", "text")


def _option(tokenizer: tuple[str, ...]) -> str:
    return " ".join(f"'{part}'" for part in tokenizer)


def _word_table(name: str, tokenizer: tuple[str, ...]) -> str:
    return f"""
CREATE VIRTUAL TABLE {name} USING fts5 (
    text, tokenize = "{_option(tokenizer)}", content = '', contentless_delete = 1
);
INSERT INTO {name} ({name}, rank) VALUES ('secure-delete', 1);
"""


_FIRST = f"""
CREATE TABLE chat (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    mark TEXT NOT NULL DEFAULT 'zib chat',
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    titled_by TEXT NOT NULL,
    created INTEGER NOT NULL,
    zone INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    is_pinned INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    leaf INTEGER NOT NULL DEFAULT 0,
    clock INTEGER NOT NULL DEFAULT 0,
    forked_from TEXT NOT NULL DEFAULT '',
    source TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]',
    options TEXT NOT NULL DEFAULT '{{}}'
);
CREATE TABLE message (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    mark TEXT NOT NULL DEFAULT 'zib message',
    id TEXT NOT NULL UNIQUE,
    chat INTEGER NOT NULL REFERENCES chat (key) ON DELETE CASCADE,
    parent INTEGER NOT NULL,
    role TEXT NOT NULL,
    state TEXT NOT NULL,
    created INTEGER NOT NULL,
    zone INTEGER NOT NULL,
    used INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    owner TEXT NOT NULL DEFAULT '',
    model TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL,
    thinking TEXT NOT NULL DEFAULT '',
    extras TEXT NOT NULL DEFAULT ''
);
CREATE TABLE piece (
    key INTEGER PRIMARY KEY,
    mark TEXT NOT NULL DEFAULT 'zib piece',
    message INTEGER NOT NULL REFERENCES message (key) ON DELETE CASCADE,
    span TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE owed (owner TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX message_chat ON message (chat, role);
CREATE INDEX message_unfinished ON message (owner) WHERE owner <> '';
CREATE INDEX message_deleted ON message (deleted) WHERE deleted <> 0;
CREATE INDEX piece_message ON piece (message);
{_word_table("words", WORDS_TOKENIZER)}
{_word_table("grams", GRAMS_TOKENIZER)}
"""

STEPS: tuple[str, ...] = (_FIRST,)
"""Step n makes version n + 1 of version n; none is ever changed, only added to."""


def migrate(connection: apsw.Connection, steps: tuple[str, ...]) -> None:
    """Bring the tables to the newest version: all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        version = int(connection.pragma("user_version"))
        for number, step in enumerate(steps[version:], version + 1):
            connection.execute(step)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
