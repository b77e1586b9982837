"""Keeps the tables of words in line with the messages, inside the same transaction."""

import unicodedata

import apsw

from vault.conversations.stored import storable
from vault.index.grams import pairs, without_runs


def index_message(connection: apsw.Connection, key: int, text: str, is_new: bool = True) -> None:
    """Put a message's text into the tables, in place of what is there unless it is new."""
    composed = unicodedata.normalize("NFC", storable(text))
    for table, words in (("words", without_runs(composed)), ("grams", pairs(composed))):
        if not is_new:
            connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (key,))
        if words.strip():
            connection.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (key, words))


def forget_message(connection: apsw.Connection, key: int) -> None:
    """Take a message out of the tables."""
    for table in ("words", "grams"):
        connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (key,))


def wipe_forgotten(connection: apsw.Connection) -> None:
    """Write the tables anew, so that nothing of what was taken out stays in the file."""
    for table in ("words", "grams"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
