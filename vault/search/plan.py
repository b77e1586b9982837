"""Turns a query into the terms to look for; words that are in no page become near ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vault.search.query import Query
from vault.search.spelling import near_tokens
from vault.search.stop_words import without_stop_words
from vault.search.terms import Analyser, Term
from vault.search.vocabulary import Vocabulary

_CORRECTED = 0.6
_MOST_TERMS = 32
_MOST_BEGUN = 100
_FEW = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """The terms, each once, with how many pages hold each and how much each counts.

    `order` has their indexes as they were typed. `typed` are the tokens of everything typed.
    """

    terms: tuple[Term, ...] = ()
    counts: tuple[int, ...] = ()
    boosts: tuple[float, ...] = ()
    order: tuple[int, ...] = ()
    typed: tuple[str, ...] = ()
    corrected: tuple[tuple[str, tuple[str, ...]], ...] = ()


def make_plan(
    vocabulary: Vocabulary, analyser: Analyser, query: Query, tag_words: tuple[str, ...]
) -> Plan:
    """Make it; empty for a query without letters and digits."""
    words = without_stop_words(query.words)
    typed = list(analyser.terms(" ".join((*words, *tag_words))))
    if query.is_unfinished and words:
        typed = _unfinished(typed, analyser.terms(words[-1]))
    for phrase in query.phrases:
        typed += analyser.terms(phrase)
    making = _Making(vocabulary)
    for term in _begun(vocabulary, typed):
        making.add(term)
    return making.plan(analyser.keys(query.typed))


def _unfinished(typed: list[Term], last: tuple[Term, ...]) -> list[Term]:
    """The last token of the last word is only its beginning."""
    if not last:
        return typed
    index = max(i for i, term in enumerate(typed) if term == last[-1])
    return [replace(each, is_prefix=True) if i == index else each for i, each in enumerate(typed)]


def _begun(vocabulary: Vocabulary, typed: Sequence[Term]) -> list[Term]:
    """A letter or two begin words of all pages: other words tell more, or else names do."""
    known: list[Term] = []
    for term in typed:
        if term.table == "words" and term.is_prefix and vocabulary.begins_more(term, _MOST_BEGUN):
            others = [each for each in typed if each != term]
            if any(vocabulary.pages_with(each) for each in others if not each.is_prefix):
                continue
            in_names = replace(term, is_of_names=True)
            if vocabulary.pages_with(in_names) >= _FEW:
                known.append(in_names)
            else:
                known += [Term(term.table, each, each) for each in vocabulary.commonest(term)]
        else:
            known.append(term)
    return known


class _Making:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._places: dict[Term, int] = {}
        self._counts: list[int] = []
        self._boosts: list[float] = []
        self._order: list[int] = []
        self._corrected: dict[str, tuple[str, ...]] = {}

    def add(self, term: Term) -> None:
        known = next((each for each in self._places if _is_same(each, term)), None)
        if known is not None:
            self._order.append(self._places[known])
            return
        count = self._vocabulary.pages_with(term)
        if count:
            self._place(term, count, 1.0)
            return
        near = near_tokens(self._vocabulary.connection, term.table, term.token)
        if near:
            self._corrected[term.text] = near
        for token in near:
            instead = Term(term.table, token, token)
            if instead not in self._places:
                self._place(instead, self._vocabulary.pages_with(instead), _CORRECTED)

    def plan(self, typed: tuple[str, ...]) -> Plan:
        """Of a long text only the rarest terms are looked for; the others tell least."""
        kept = sorted(sorted(range(len(self._counts)), key=self._counts.__getitem__)[:_MOST_TERMS])
        places = {old: new for new, old in enumerate(kept)}
        terms = tuple(self._places)
        return Plan(
            tuple(terms[index] for index in kept),
            tuple(self._counts[index] for index in kept),
            tuple(self._boosts[index] for index in kept),
            tuple(places[index] for index in self._order if index in places),
            typed,
            tuple(self._corrected.items()),
        )

    def _place(self, term: Term, count: int, boost: float) -> None:
        self._places[term] = len(self._places)
        self._order.append(self._places[term])
        self._counts.append(count)
        self._boosts.append(boost)


def _is_same(one: Term, other: Term) -> bool:
    return replace(one, text="") == replace(other, text="")
