"""Asks the index of one wiki. Every call blocks; any thread may make it."""

from collections.abc import Callable
from dataclasses import dataclass

import apsw

from vault.index.index import Index
from vault.search.candidates import Collected, Collector
from vault.search.hits import HitReader
from vault.search.jump import JumpNames, read_names
from vault.search.listed import listed_pages
from vault.search.page_names import KnownNames
from vault.search.plan import Plan, make_plan
from vault.search.query import Query, parse_query
from vault.search.ranking import Ranked, Ranking, Weights
from vault.search.result import NamedPage, Results
from vault.search.scope import Scope, read_scope, scope_called
from vault.search.suggest import suggestions
from vault.search.terms import Analyser, Wanted

_FEW = 3


@dataclass(frozen=True, slots=True)
class _Answered:
    plan: Plan
    ranked: list[Ranked]
    wanted: Wanted
    is_loosened: bool = False


class Search:
    """Finds pages by what they say and by what they are called.

    `opened` gives the index; what it raises, every question raises. One that `is_exhaustive`
    leaves no page out to be quick: what quick ones are measured by.
    """

    def __init__(
        self,
        opened: Callable[[], Index],
        weights: Weights | None = None,
        is_exhaustive: bool = False,
    ) -> None:
        self._opened = opened
        self._is_exhaustive = is_exhaustive
        self._weights = weights or Weights()
        self._analyser = Analyser()
        self._collector: Collector | None = None
        self._page_names = KnownNames(self._analyser)
        self._names = JumpNames(())
        self._names_version: tuple[int, int, int] | None = None

    def find(
        self, text: str, limit: int = 20, is_typing: bool = False, within: str = ""
    ) -> Results:
        """Return the best pages for any text; while it `is_typing` its last word may go on.

        With `within`, a scope, only its pages are looked through.
        """
        query = parse_query(text, is_typing)
        index = self._opened()
        with index.reading() as connection:
            answered = self._answer(connection, query, within)
            reader = HitReader(index, self._analyser, answered.wanted)
            hits = reader.read(connection, answered.ranked, limit)
            is_little = len(hits) < _FEW
            suggested = suggestions(connection, self._analyser, query.typed, is_little)
        total, is_loosened = len(answered.ranked), answered.is_loosened and bool(hits)
        return Results(hits, total, suggested, answered.plan.corrected, is_loosened)

    def order(self, text: str, limit: int = 100) -> tuple[str, ...]:
        """Return only the paths of the best pages, without looking at their files."""
        query = parse_query(text)
        with self._opened().reading() as connection:
            answered = self._answer(connection, query)
            paths = dict(connection.execute("SELECT id, path FROM page"))
        return tuple(paths[each.candidate.page] for each in answered.ranked[:limit])

    def paths_within(self, scope: str) -> frozenset[str]:
        """The paths of all pages that a scope holds."""
        with self._opened().reading() as connection:
            held = scope_called(connection, self._analyser, scope)
            rows = connection.execute(
                "SELECT id, path FROM page WHERE NOT is_excluded AND problem = ''"
            )
            return frozenset(path for page, path in rows if held.holds(page))

    def jump(self, text: str, limit: int = 20) -> tuple[NamedPage, ...]:
        """Return the pages whose names, or else paths, hold a text's letters in order, best first.

        With a slash in it, paths are looked through as well.
        """
        index = self._opened()
        with index.reading() as connection:
            version = index.version
            if version != self._names_version:
                self._names, self._names_version = read_names(connection), version
            names = self._names
        return names.find(text, limit)

    def _answer(self, connection: apsw.Connection, query: Query, within: str = "") -> _Answered:
        collector = self._collecting(connection)
        bounds = scope_called(connection, self._analyser, within)
        scope = read_scope(connection, self._analyser, query, has_phrases=True).and_within(bounds)
        plan = make_plan(collector.vocabulary, self._analyser, query, scope.tag_words)
        if not plan.terms:
            listed = listed_pages(connection, scope, query.typed)
            return _Answered(plan, listed, Wanted({}))
        ranked, wanted = self._ranked(collector, plan, scope)
        is_loosened = not ranked and bool(query.phrases)
        if is_loosened:
            loosened = read_scope(connection, self._analyser, query, has_phrases=False)
            scope = loosened.and_within(bounds)
            ranked, wanted = self._ranked(collector, plan, scope)
        return _Answered(plan, ranked, wanted, is_loosened)

    def _collecting(self, connection: apsw.Connection) -> Collector:
        if self._collector is None or self._collector.connection is not connection:
            self._collector = Collector(connection, self._is_exhaustive)
        return self._collector

    def _ranked(
        self, collector: Collector, plan: Plan, scope: Scope
    ) -> tuple[list[Ranked], Wanted]:
        collected = collector.collect(plan.terms, plan.counts, plan.boosts, scope)
        ranking = Ranking(collected, plan.order, plan.typed, self._weights)
        version, pages = self._opened().version, collected.candidates
        names = self._page_names.read(collector.connection, version, pages)
        return ranking.rank(names), _wanted(collected)


def _wanted(collected: Collected) -> Wanted:
    terms = collected.terms
    weights = {t.token: weight for t, weight in zip(terms, collected.weights, strict=True)}
    prefixes = tuple(term.token for term in terms if term.is_prefix)
    return Wanted(weights, prefixes, any(term.table == "grams" for term in terms))
