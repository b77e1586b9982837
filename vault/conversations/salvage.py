"""Saves chats and messages out of a damaged file into a new one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import apsw

from vault.conversations.database import connect
from vault.conversations.indexing import index_message
from vault.conversations.pages import Record, Value, read_records
from vault.conversations.schema import (
    CHAT_COLUMNS,
    MESSAGE_COLUMNS,
    PIECE_COLUMNS,
    STEPS,
    migrate,
)
from vault.conversations.stored import readable

_TABLES = {
    b"zib chat": ("chat", CHAT_COLUMNS),
    b"zib message": ("message", MESSAGE_COLUMNS),
    b"zib piece": ("piece", PIECE_COLUMNS),
}
_NUMBERS = {
    *("key", "created", "zone", "changed", "is_pinned", "deleted", "leaf", "clock"),
    *("chat", "parent", "used", "message"),
}
_Row = dict[str, int | str]


def salvage(damaged: Path, into: Path) -> None:
    """Make the file `into` of every row that can still be read. Raises OSError, apsw.Error."""
    rows: dict[str, dict[int, _Row]] = {"chat": {}, "message": {}, "piece": {}}
    for record in read_records(damaged):
        found = _recognised(record)
        if found is not None:
            rows[found[0]][record[0]] = found[1]
    chats, messages = rows["chat"], rows["message"]
    _fill_gaps(chats, messages)
    pieces = {key: row for key, row in rows["piece"].items() if row["message"] in messages}
    os.close(os.open(into, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = connect(into)
    try:
        migrate(connection, STEPS)
        with connection:
            _insert(connection, "chat", CHAT_COLUMNS, chats)
            _insert(connection, "message", MESSAGE_COLUMNS, messages)
            _insert(connection, "piece", PIECE_COLUMNS, pieces)
            for key, row in messages.items():
                index_message(connection, key, str(row["text"]))
        connection.execute("PRAGMA journal_mode = DELETE")
    finally:
        connection.close(force=True)


def count_saved(saved: Path) -> tuple[int, int]:
    """How many chats and messages are in a file that was saved."""
    connection = connect(saved)
    try:
        tables = ("chat", "message")
        counts = [connection.execute(f"SELECT count(*) FROM {table}").get for table in tables]
        connection.execute("PRAGMA journal_mode = DELETE")
    finally:
        connection.close(force=True)
    return int(counts[0]), int(counts[1])


def _recognised(record: Record) -> tuple[str, _Row] | None:
    key, values = record
    mark = values[1] if len(values) > 1 else None
    known = _TABLES.get(mark) if isinstance(mark, bytes) else None
    if known is None or key <= 0:
        return None
    table, columns = known
    row: _Row = {}
    for column, value in zip(columns, values, strict=False):
        row[column] = _as_stored(column, value)
    row["key"] = key
    # A column that a later version added may be missing; one that was there must be.
    return (table, row) if len(values) >= len(columns) else None


def _as_stored(column: str, value: Value) -> int | str:
    if column in _NUMBERS:
        return value if isinstance(value, int) else 0
    return readable(value) if isinstance(value, bytes) else str(value or "")


def _fill_gaps(chats: dict[int, _Row], messages: dict[int, _Row]) -> None:
    """Give lost chats a place, and messages whose own is lost another one before them."""
    for table in (chats, messages):
        seen: set[int | str] = set()
        for row in table.values():
            if row["id"] in seen or not row["id"]:
                row["id"] = secrets.token_hex(16)
            seen.add(row["id"])
    last: dict[int, int] = {}
    for key in sorted(messages):
        row = messages[key]
        chat, parent = int(row["chat"]), int(row["parent"])
        if parent and (parent not in messages or messages[parent]["chat"] != chat):
            row["parent"] = last.get(chat, 0)
        if parent >= key:
            row["parent"] = last.get(chat, 0)
        last[chat] = key
        if chat not in chats:
            chats[chat] = _new_chat(chat, row)
    for key, row in chats.items():
        if row["leaf"] not in messages:
            row["leaf"] = last.get(key, 0)


def _new_chat(key: int, message: _Row) -> _Row:
    return {
        **dict.fromkeys(CHAT_COLUMNS, ""),
        **dict.fromkeys(_NUMBERS & set(CHAT_COLUMNS), 0),
        "key": key,
        "mark": "zib chat",
        "id": secrets.token_hex(16),
        "titled_by": "nobody",
        "created": message["created"],
        "changed": message["created"],
        "zone": message["zone"],
    }


def _insert(
    connection: apsw.Connection, table: str, columns: tuple[str, ...], rows: dict[int, _Row]
) -> None:
    marks = ", ".join("?" * len(columns))
    connection.executemany(
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})",
        [tuple(rows[key][column] for column in columns) for key in sorted(rows)],
    )
