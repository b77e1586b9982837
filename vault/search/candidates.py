"""The pages that may be meant, with the places of every term in them, from FTS5."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw
import apsw.fts5

from vault.index.schema import COLUMNS
from vault.search.scope import Scope
from vault.search.terms import Table, Term
from vault.search.vocabulary import Vocabulary
from vault.search.wish import COMMON, Wish, either

_COUNT = itertools.count()
_MOST = 100
_FEW = 30
Places = tuple[tuple[int, ...], ...]
"""Positions of a term, counted in tokens, for each column."""


@dataclass(slots=True)
class Candidate:
    """One page: `places` of each term, by the term's index; `sizes` of its columns in tokens."""

    page: int
    places: dict[int, Places] = field(default_factory=dict)
    sizes: dict[Table, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Collected:
    """The candidates with what is known of the terms; `weights` are their idf."""

    terms: tuple[Term, ...]
    weights: tuple[float, ...]
    candidates: Mapping[int, Candidate]
    average_sizes: Mapping[Table, tuple[float, ...]]


class Collector:
    """Asks the tables of words of one connection; made anew for another one.

    One that `is_exhaustive` takes every page with any of the terms, as long as that may last.
    """

    def __init__(self, connection: apsw.Connection, is_exhaustive: bool = False) -> None:
        self.connection = connection
        self._is_exhaustive = is_exhaustive
        self.vocabulary = Vocabulary(connection)
        self._found: list[tuple[int, list[Places], tuple[int, ...]]] = []
        self._totals: tuple[float, ...] = ()
        # A name of its own: two searches of one connection must not hear each other's hits.
        self._hits = f"zib_hits_{next(_COUNT)}"
        connection.register_fts5_function(self._hits, self._note)

    def collect(
        self, terms: Sequence[Term], counts: Sequence[int], boosts: Sequence[float], scope: Scope
    ) -> Collected:
        """Find the pages with any of the terms that the scope holds, the best by BM25.

        `counts` are the pages with each term, `boosts` how much each term counts.
        """
        candidates: dict[int, Candidate] = {}
        averages: dict[Table, tuple[float, ...]] = {}
        tables: tuple[Table, ...] = ("words", "grams")
        mine = {
            table: [i for i, term in enumerate(terms) if term.table == table] for table in tables
        }
        for table in tables:
            if mine[table]:
                self._ask(table, terms, counts, mine[table], scope, candidates)
                averages[table] = self._totals
        if all(mine.values()):
            # What one table ranks high may be further down in the other.
            for table in tables:
                expression = either(terms[index] for index in mine[table])
                missing = [page for page, each in candidates.items() if table not in each.sizes]
                self._ask_of(table, expression, missing)
                self._add(candidates, table, mine[table])
        pages = self._pages()
        weights = tuple(
            boost * _idf(pages, count) for boost, count in zip(boosts, counts, strict=True)
        )
        return Collected(tuple(terms), weights, candidates, averages)

    def _ask(
        self,
        table: Table,
        terms: Sequence[Term],
        counts: Sequence[int],
        mine: Sequence[int],
        scope: Scope,
        candidates: dict[int, Candidate],
    ) -> None:
        """The pages with a rare term first; with any term when those are few.

        What more than half of the pages have, FTS5 gives a weight of nothing: it is only looked up
        in the pages that the other terms chose, or the rarest where all are so common.
        """
        if self._is_exhaustive:
            self._rank(table, either(terms[index] for index in mine), scope)
            self._add(candidates, table, mine)
            return
        half = self._pages() / 2
        telling = [index for index in mine if counts[index] <= half]
        rarest = min(mine, key=counts.__getitem__)
        if counts[rarest] > max(half, COMMON):
            telling = [rarest]
        if telling:
            wish = Wish.of(terms, counts, telling)
            self._rank(table, wish.of_rare or wish.of_any, scope)
            self._add(candidates, table, wish.order)
            if len(self._found) >= _FEW:
                others = [index for index in mine if index not in telling]
                if others:
                    expression = either(terms[index] for index in others)
                    self._ask_of(table, expression, [page for page, *_ in self._found])
                    self._add(candidates, table, others)
                return
        self._rank(table, either(terms[index] for index in mine), scope)
        self._add(candidates, table, mine)

    def _pages(self) -> int:
        return max(1, int(self.connection.execute("SELECT count(*) FROM page").get))

    def _rank(self, table: Table, expression: str, scope: Scope) -> None:
        conditions, values = _conditions(scope)
        self._select(
            f"SELECT {self._hits}({table}), rowid FROM {table} WHERE {table} MATCH ?{conditions}"
            f" AND rank MATCH 'bm25(6.0, 6.0, 3.0, 1.0, 1.5)' ORDER BY rank LIMIT ?",
            (expression, *values, -1 if self._is_exhaustive else _MOST),
        )

    def _ask_of(self, table: Table, expression: str, pages: Sequence[int]) -> None:
        self._select(
            f"SELECT {self._hits}({table}) FROM {table} WHERE {table} MATCH ?"
            " AND +rowid IN (SELECT value FROM json_each(?))",
            (expression, json.dumps(pages)),
        )

    def _select(self, query: str, values: tuple[str | int, ...]) -> None:
        self._found.clear()
        self._totals = ()
        for _ in self.connection.execute(query, values):
            pass

    def _add(self, candidates: dict[int, Candidate], table: Table, indexes: Sequence[int]) -> None:
        for page, places, sizes in self._found:
            candidate = candidates.setdefault(page, Candidate(page))
            candidate.sizes[table] = sizes
            for index, place in zip(indexes, places, strict=False):
                if any(place):
                    candidate.places[index] = place

    def _note(self, api: apsw.FTS5ExtensionApi, *_: Any) -> None:
        count = len(COLUMNS)
        self._found.append(
            (
                api.rowid,
                [
                    tuple(map(tuple, api.phrase_locations(phrase)))
                    for phrase in range(api.phrase_count)
                ],
                tuple(api.column_size(column) for column in range(count)),
            )
        )
        if not self._totals:
            rows = max(1, api.row_count)
            self._totals = tuple(api.column_total_size(column) / rows for column in range(count))


def _conditions(scope: Scope) -> tuple[str, tuple[str, ...]]:
    # The plus keeps SQLite from looking the pages up one by one.
    text, values = "", []
    if scope.allowed is not None:
        text += " AND +rowid IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(sorted(scope.allowed)))
    if scope.excluded:
        text += " AND +rowid NOT IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(sorted(scope.excluded)))
    return text, tuple(values)


def _idf(pages: int, count: int) -> float:
    return math.log(1 + (pages - count + 0.5) / (count + 0.5))
