"""Writes the questions to the tables of messages and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from vault.conversations.query import NO_FILTER, ChatFilter
from vault.conversations.reading import chat_key
from vault.conversations.stored import from_time, storable
from vault.search.terms import Table, Term

Values = list[int | str]
_MOST_RANKED = 5000


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
) -> list[int]:
    """The messages that have all of `sought` and none of `excluded`, the best first."""
    words, grams = (_joined(part, " AND ") for part in _parts(sought))
    question = _Question(connection, chosen, excluded, limit)
    if not words and not grams:
        return question.latest()
    return question.ranked("words", words, grams) if words else question.ranked("grams", grams)


def find_any(
    connection: apsw.Connection,
    chosen: ChatFilter,
    sought: Sequence[Sought],
    excluded: Sequence[Sought],
    limit: int,
) -> list[int]:
    """The messages that have some of it."""
    words, grams = (_joined(part, " OR ") for part in _parts(sought))
    question = _Question(connection, chosen, excluded, limit)
    found = question.ranked("words", words) if words else []
    found += question.ranked("grams", grams) if grams else []
    return list(dict.fromkeys(found))[:limit]


class _Question:
    """What is asked of a table, with what the filter and the excluded words let by."""

    def __init__(
        self,
        connection: apsw.Connection,
        chosen: ChatFilter,
        excluded: Sequence[Sought],
        limit: int,
    ) -> None:
        self._connection = connection
        self._condition, self._values = _conditions(connection, chosen)
        self._is_filtered = chosen != NO_FILTER
        self._limit = limit
        for each in excluded:
            for table, expression in (("words", each.words), ("grams", each.grams)):
                if expression:
                    self._condition += f" AND message.key NOT IN (SELECT rowid FROM {table}(?))"
                    self._values.append(expression)

    def latest(self) -> list[int]:
        """Without words: by time."""
        query = (
            "SELECT message.key FROM message JOIN chat ON chat.key = message.chat"
            f" WHERE {self._condition} ORDER BY message.created DESC, message.key DESC LIMIT ?"
        )
        return self._keys(query, [*self._values, self._limit])

    def ranked(self, table: Table, expression: str, also: str = "") -> list[int]:
        """By BM25; `also` is what the other table must have."""
        query = (
            f"SELECT message.key FROM {table} JOIN message ON message.key = {table}.rowid"
            f" JOIN chat ON chat.key = message.chat WHERE {table} MATCH ?"
        )
        values: Values = [expression]
        if not self._is_filtered:
            query += f" AND {table}.rowid >= ?"
            values.append(self._floor(table, expression))
        query += f" AND {self._condition}"
        values += self._values
        if also:
            query += " AND message.key IN (SELECT rowid FROM grams WHERE grams MATCH ?)"
            values.append(also)
        query += f" ORDER BY {table}.rank, message.key DESC LIMIT ?"
        return self._keys(query, [*values, self._limit])

    def _floor(self, table: Table, expression: str) -> int:
        """Of what very many messages have, only the newest are ranked: that takes less time."""
        query = f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC"
        values = (expression, _MOST_RANKED)
        return int(self._connection.execute(f"{query} LIMIT 1 OFFSET ?", values).get or 0)

    def _keys(self, query: str, values: Values) -> list[int]:
        return [int(key) for (key,) in self._connection.execute(query, values)]


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
