"""Finds the passages of a wiki that belong to a question. Every call blocks; any thread may."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import apsw

from vault.index.index import Index
from vault.recall.asking import read_asking
from vault.recall.evidence import LEAST, evidence
from vault.recall.linked import linked_pages
from vault.recall.pages import FoundPage, PageReader
from vault.recall.terms import Terms, read_terms
from vault.recall.values import Candidate, Recalled, Wish
from vault.search.candidates import Collector
from vault.search.page_names import KnownNames
from vault.search.ranking import Ranked, Ranking, Weights
from vault.search.scope import Scope, scope_called
from vault.search.terms import Analyser

Version = tuple[int, int, int]
_LEAST_OF_BEST = 0.3
_JUDGED = 3
_OF_PASSAGE = 0.3
_BEFORE_LINKED = 4


class Recall:
    """Asks the index of one wiki; pages whose path begins with one of `apart` are left out."""

    def __init__(self, opened: Callable[[], Index], apart: Collection[str] = ()) -> None:
        self._opened = opened
        self._apart = tuple(apart)
        self._analyser = Analyser()
        self._names = KnownNames(self._analyser)
        self._collector: Collector | None = None
        self._apart_pages: frozenset[int] = frozenset()
        self._apart_at: Version | None = None

    def find(self, wish: Wish) -> Recalled:
        """Return what belongs to the question. Raises SearchUnavailable."""
        asking = read_asking(wish.question)
        if not asking.words:
            return Recalled()
        index = self._opened()
        before = read_asking(wish.before).words if asking.is_leaning else ()
        with index.reading() as connection:
            collector = self._collecting(connection)
            terms = read_terms(
                collector.vocabulary, self._analyser, asking.words, before, _pages(connection)
            )
            if not terms.terms:
                return Recalled(words=asking.words)
            scope = self._scope(connection, index.version, wish.scope)
            pages = self._ranked(collector, index, terms, scope)
            reader = PageReader(index.root, connection, self._analyser, terms)
            least = _LEAST_OF_BEST * max((each.score for each, _ in pages), default=0.0)
            telling = [page for page in pages if page[0].score >= least]
            found = sorted(reader.read(telling, wish.most), key=_rank, reverse=True)
            recalled = _chosen(found, asking.words)
            if not recalled.candidates:
                return recalled
            linked = [reader.beginning(each) for each in linked_pages(connection, found, scope)]
            return _with_linked(recalled, [each for each in linked if each is not None])

    def _collecting(self, connection: apsw.Connection) -> Collector:
        if self._collector is None or self._collector.connection is not connection:
            self._collector = Collector(connection)
        return self._collector

    def _scope(self, connection: apsw.Connection, version: Version, text: str) -> Scope:
        scope = scope_called(connection, self._analyser, text)
        return Scope(scope.allowed, scope.excluded | self._left_out(connection, version), ())

    def _left_out(self, connection: apsw.Connection, version: Version) -> frozenset[int]:
        """Redirects, and what is apart; looked up anew when the index has changed."""
        if self._apart_at != version:
            wanted = " OR ".join(["redirect <> ''", *("instr(path, ?) = 1" for _ in self._apart)])
            found = connection.execute(f"SELECT id FROM page WHERE {wanted}", self._apart)
            self._apart_pages, self._apart_at = frozenset(page for (page,) in found), version
        return self._apart_pages

    def _ranked(
        self, collector: Collector, index: Index, terms: Terms, scope: Scope
    ) -> list[tuple[Ranked, Sequence[tuple[str, ...]]]]:
        """The pages with what each is called, as tokens."""
        collected = collector.collect(terms.terms, terms.pages, terms.boosts, scope)
        typed = tuple(term.token for term in terms.terms)
        ranking = Ranking(collected, range(len(terms.terms)), typed, Weights())
        names = self._names.read(collector.connection, index.version, collected.candidates)
        return [
            (each, [name.tokens for name in names.get(each.candidate.page, ())])
            for each in ranking.rank(names)
            if terms.has_own(each.candidate.places)
        ]


def _rank(page: FoundPage) -> float:
    """A page that says all in one passage comes before one that is called by a part of it."""
    return page.signs.score + _OF_PASSAGE * page.signs.of_passage


def _chosen(pages: Sequence[FoundPage], words: tuple[str, ...]) -> Recalled:
    judged = (evidence(page.signs) for page in pages[:_JUDGED])
    sure = max(judged, default=0.0)
    if sure < LEAST:
        return Recalled(evidence=sure, words=words)
    kept = [page for page in pages if page.candidates]
    first: list[Candidate] = [page.candidates[0] for page in kept]
    second = [candidate for page in kept for candidate in page.candidates[1:]]
    return Recalled((*first, *second), sure, words)


def _with_linked(recalled: Recalled, linked: Sequence[Candidate]) -> Recalled:
    """Pages that those found lead to come after the best of them."""
    found = recalled.candidates
    return replace(recalled, candidates=(*found[:_BEFORE_LINKED], *linked, *found[_BEFORE_LINKED:]))


def _pages(connection: apsw.Connection) -> int:
    return max(1, int(connection.execute("SELECT count(*) FROM page").get))
