"""Words of the index that are near a word that is in no page."""

from collections.abc import Iterable

import apsw

from vault.search.terms import Table

_MOST = 3
_SHORTEST, _LONG = 4, 8


def near_tokens(connection: apsw.Connection, table: Table, token: str) -> tuple[str, ...]:
    """Return tokens that begin with this one, or else the commonest of the nearest spellings."""
    begun = connection.execute(
        f"SELECT term FROM temp.{table}_vocab WHERE term >= ? AND term < ?"
        " ORDER BY doc DESC LIMIT ?",
        (token, token + "\U0010ffff", _MOST),
    ).fetchall()
    if begun:
        return tuple(str(term) for (term,) in begun)
    if len(token) < _SHORTEST:
        return ()
    most = 2 if len(token) >= _LONG else 1
    found = sorted(
        (distance, -pages, term)
        for term, pages in _alike(connection, table, token, most)
        if (distance := edits(token, term, most)) <= most
    )
    return tuple(term for distance, _, term in found if distance == found[0][0])[:_MOST]


def _alike(
    connection: apsw.Connection, table: Table, token: str, most: int
) -> Iterable[tuple[str, int]]:
    """Tokens of about the same length that begin with one of the first two letters."""
    for first in dict.fromkeys(token[:2]):
        yield from connection.execute(
            f"SELECT term, doc FROM temp.{table}_vocab WHERE term >= ? AND term < ?"
            " AND length(term) BETWEEN ? AND ?",
            (first, first + "\U0010ffff", len(token) - most, len(token) + most),
        )


def edits(one: str, other: str, most: int) -> int:
    """Count the letters to add, drop, change or swap; anything above `most` is `most + 1`."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, 1):
        next_row = [index]
        for column, compared in enumerate(other, 1):
            cost = min(
                row[column] + 1, next_row[column - 1] + 1, row[column - 1] + (letter != compared)
            )
            is_swapped = index > 1 and column > 1 and letter == other[column - 2]
            if is_swapped and one[index - 2] == compared:
                cost = min(cost, before[column - 2] + 1)
            next_row.append(cost)
        if min(next_row) > most:
            return most + 1
        before, row = row, next_row
    return min(row[-1], most + 1)
