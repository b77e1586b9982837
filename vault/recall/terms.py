"""The terms a question is looked for by, and how much each counts."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vault.search.spelling import near_tokens
from vault.search.terms import Analyser, Term, Wanted
from vault.search.vocabulary import Vocabulary

_MOST_TERMS = 32
_OF_BEFORE = 0.4
# Of the pairs of a Chinese text many are of no word.
_UNKNOWN_PAIR = 0.3
_NEAR, _OTHER_FORM = 0.6, 0.9
_SHORTEST = 3
_MOST_LONGER = 2
_FEW_WORDS = 4


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that pages have, in order, with the pages that have each and how much it counts.

    `total` is what all terms of the question count together, also those that no page has; `count`
    is how many they are, `all_pages` how many pages there are.
    """

    terms: tuple[Term, ...]
    pages: tuple[int, ...]
    boosts: tuple[float, ...]
    weights: tuple[float, ...]
    total: float
    count: int
    all_pages: int
    own: frozenset[int]

    def has_own(self, places: Iterable[int]) -> bool:
        """Whether one of the terms at these places is of the question, not of the one before."""
        return not self.own.isdisjoint(places)

    @property
    def wanted(self) -> Wanted:
        """As texts are searched for them."""
        weights = {term.token: each for term, each in zip(self.terms, self.weights, strict=True)}
        prefixes = tuple(term.token for term in self.terms if term.is_prefix)
        return Wanted(weights, prefixes, any(term.table == "grams" for term in self.terms))


def read_terms(
    vocabulary: Vocabulary,
    analyser: Analyser,
    words: Iterable[str],
    before: Iterable[str],
    all_pages: int,
) -> Terms:
    """Weigh them by how few pages have each; those of the question before count less."""
    boosts = dict.fromkeys(_unique(analyser.terms(" ".join(words))), 1.0)
    for each in _unique(analyser.terms(" ".join(before))):
        boosts.setdefault(each, _OF_BEFORE)
    pages = {term: vocabulary.pages_with(term) for term in boosts}
    weights = {
        term: boost * _weight(term, pages[term], all_pages) for term, boost in boosts.items()
    }
    total, count = sum(weights.values()), len(boosts)
    for term, forms, boost in _near_terms(vocabulary, pages):
        for near in forms:
            if near not in boosts:
                boosts[near], pages[near] = boost, vocabulary.pages_with(near)
                weights[near] = boost * _weight(near, pages[near], all_pages)
        if boost == _OTHER_FORM:
            # It is that word, after all.
            total += max(weights[near] for near in forms) - weights[term]
    rarest = sorted((term for term in boosts if pages[term]), key=lambda term: pages[term])
    kept = set(rarest[:_MOST_TERMS])
    terms = tuple(term for term in boosts if term in kept)
    return Terms(
        terms,
        tuple(pages[term] for term in terms),
        tuple(boosts[term] for term in terms),
        tuple(weights[term] for term in terms),
        total,
        count,
        all_pages,
        frozenset(place for place, term in enumerate(terms) if boosts[term] != _OF_BEFORE),
    )


def _near_terms(
    vocabulary: Vocabulary, pages: Mapping[Term, int]
) -> list[tuple[Term, tuple[Term, ...], float]]:
    """For words that no page has, other forms of them that some have, and how much those count.

    In short questions, too, what is spelled nearly like them.
    """
    near: list[tuple[Term, tuple[Term, ...], float]] = []
    for term, count in pages.items():
        if count or term.table != "words" or len(term.token) < _SHORTEST:
            continue
        forms, boost = _begun(vocabulary, term, len(term.token) + _MOST_LONGER), _OTHER_FORM
        if not forms and len(pages) <= _FEW_WORDS:
            forms, boost = near_tokens(vocabulary.connection, term.table, term.token), _NEAR
        if forms:
            near.append((term, tuple(Term(term.table, each, each) for each in forms), boost))
    return near


def _begun(vocabulary: Vocabulary, term: Term, longest: int) -> tuple[str, ...]:
    found = vocabulary.connection.execute(
        f"SELECT term FROM temp.{term.table}_vocab WHERE term >= ? AND term < ?"
        " AND length(term) <= ? ORDER BY doc DESC LIMIT 2",
        (term.token, term.token + "\U0010ffff", longest),
    )
    return tuple(str(token) for (token,) in found)


def _unique(terms: Iterable[Term]) -> tuple[Term, ...]:
    found: dict[tuple[str, str, bool], Term] = {}
    for term in terms:
        found.setdefault((term.table, term.token, term.is_prefix), term)
    return tuple(found.values())


def _weight(term: Term, pages: int, all_pages: int) -> float:
    weight = math.log(1 + (all_pages - pages + 0.5) / (pages + 0.5))
    return weight * _UNKNOWN_PAIR if not pages and term.table == "grams" else weight
