"""Writes the questions to the tables of messages and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from vault.conversations.query import ChatFilter
from vault.conversations.reading import chat_key
from vault.conversations.stored import from_time, storable
from vault.search.terms import Table, Term

Values = list[int | str]


@dataclass(frozen=True, slots=True)
class Sought:
    """A word or phrase as expressions for the tables of words."""

    words: str
    grams: str


def phrase(terms: Sequence[Term], table: Table) -> str:
    """The terms in this order, next to each other, in FTS5's language."""
    mine = [term for term in terms if term.table == table]
    if not mine:
        return ""
    text = " ".join(term.text for term in mine)
    return f'"{text}"{"*" if mine[-1].is_prefix else ""}'


def _parts(sought: Sequence[Sought]) -> tuple[list[str], list[str]]:
    return [each.words for each in sought], [each.grams for each in sought]


def _joined(expressions: Sequence[str], by: str) -> str:
    return by.join(f"({each})" for each in expressions if each)


def find_messages(
    connection: apsw.Connection,
    chosen: ChatFilter,
    sought: Sequence[Sought],
    excluded: Sequence[Sought],
    limit: int,
    is_any: bool = False,
) -> list[int]:
    words, grams = (_joined(part, " AND ") for part in _parts(sought))
    condition, values = _conditions(connection, chosen)
    for each in excluded:
        for table, expression in (("words", each.words), ("grams", each.grams)):
            if expression:
                condition += f" AND message.key NOT IN (SELECT rowid FROM {table}(?))"
                values.append(expression)
    rows = connection.execute(*_statement(words, grams, condition, values, limit, is_any))
    return [int(key) for (key,) in rows]


def any_of(sought: Sequence[Sought]) -> Sought:
    """One that is found where any of them is."""
    words, grams = _parts(sought)
    return Sought(_joined(words, " OR "), _joined(grams, " OR "))


def _statement(
    words: str, grams: str, condition: str, values: Values, limit: int, is_any: bool
) -> tuple[str, Values]:
    base = "message JOIN chat ON chat.key = message.chat"
    if not words and not grams:
        query = f"SELECT message.key FROM {base} WHERE {condition} ORDER BY message.created DESC"
        return f"{query}, message.key DESC LIMIT ?", [*values, limit]
    first, expression = ("words", words) if words else ("grams", grams)
    query = (
        f"SELECT message.key FROM {first} JOIN message ON message.key = {first}.rowid"
        f" JOIN chat ON chat.key = message.chat WHERE {first} MATCH ? AND {condition}"
    )
    found: Values = [expression, *values]
    if words and grams and not is_any:
        query += " AND message.key IN (SELECT rowid FROM grams WHERE grams MATCH ?)"
        found.append(grams)
    query += f" ORDER BY {first}.rank, message.key DESC LIMIT ?"
    return query, [*found, limit]


def chat_conditions(chosen: ChatFilter) -> tuple[str, Values]:
    condition, values = "chat.deleted = 0", Values()
    if chosen.is_pinned:
        condition += " AND chat.is_pinned"
    for tag in chosen.tags:
        condition += " AND EXISTS (SELECT 1 FROM json_each(chat.tags) AS own WHERE own.value = ?)"
        values.append(tag)
    return condition, values


def _conditions(connection: apsw.Connection, chosen: ChatFilter) -> tuple[str, Values]:
    condition, values = chat_conditions(chosen)
    condition += " AND message.deleted = 0"
    if chosen.chat:
        condition += " AND message.chat = ?"
        values.append(chat_key(connection, chosen.chat))
    if chosen.role:
        condition += " AND message.role = ?"
        values.append(chosen.role)
    if chosen.model:
        condition += " AND instr(lower(message.model), lower(?)) > 0"
        values.append(storable(chosen.model))
    for moment, sign in ((chosen.since, ">="), (chosen.until, "<")):
        if moment is not None:
            condition += f" AND message.created {sign} ?"
            values.append(from_time(moment)[0])
    return condition, values
