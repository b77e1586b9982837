"""The terms a question is looked for by, and how much each counts."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from vault.search.terms import Analyser, Term, Wanted
from vault.search.vocabulary import Vocabulary

_MOST_TERMS = 32
_OF_BEFORE = 0.4
# Of the pairs of a Chinese text many are of no word.
_UNKNOWN_PAIR = 0.3


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that pages have, in order, with the pages that have each and how much it counts.

    `total` is what all terms of the question count together, also those that no page has; `count`
    is how many they are.
    """

    terms: tuple[Term, ...]
    pages: tuple[int, ...]
    boosts: tuple[float, ...]
    weights: tuple[float, ...]
    total: float
    count: int

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
    rarest = sorted((term for term in boosts if pages[term]), key=lambda term: pages[term])
    kept = set(rarest[:_MOST_TERMS])
    terms = tuple(term for term in boosts if term in kept)
    return Terms(
        terms,
        tuple(pages[term] for term in terms),
        tuple(boosts[term] for term in terms),
        tuple(weights[term] for term in terms),
        sum(weights.values()),
        len(boosts),
    )


def _unique(terms: Iterable[Term]) -> tuple[Term, ...]:
    found: dict[tuple[str, str, bool], Term] = {}
    for term in terms:
        found.setdefault((term.table, term.token, term.is_prefix), term)
    return tuple(found.values())


def _weight(term: Term, pages: int, all_pages: int) -> float:
    weight = math.log(1 + (all_pages - pages + 0.5) / (pages + 0.5))
    return weight * _UNKNOWN_PAIR if not pages and term.table == "grams" else weight
