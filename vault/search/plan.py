"""Turns a query into the terms to look for; words that are in no page become near ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vault.search.query import Query
from vault.search.spelling import near_tokens
from vault.search.stop_words import without_stop_words
from vault.search.terms import Analyser, Table, Term
from vault.search.vocabulary import Vocabulary

_CORRECTED = 0.6
_MOST_TERMS = 32
_MOST_BEGUN = 100
_FEW = 10
_Key = tuple[Table, str, bool, bool]


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
        self._terms: list[Term] = []
        self._places: dict[_Key, int] = {}
        self._counts: list[int] = []
        self._boosts: list[float] = []
        self._order: list[int] = []
        self._corrected: dict[str, tuple[str, ...]] = {}

    def add(self, term: Term) -> None:
        known = self._places.get(_key(term))
        if known is not None:
            self._order.append(known)
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
            if _key(instead) not in self._places:
                self._place(instead, self._vocabulary.pages_with(instead), _CORRECTED)

    def plan(self, typed: tuple[str, ...]) -> Plan:
        """Of a long text only the rarest terms are looked for; the others tell least."""
        kept = sorted(sorted(range(len(self._counts)), key=self._counts.__getitem__)[:_MOST_TERMS])
        places = {old: new for new, old in enumerate(kept)}
        return Plan(
            tuple(self._terms[index] for index in kept),
            tuple(self._counts[index] for index in kept),
            tuple(self._boosts[index] for index in kept),
            tuple(places[index] for index in self._order if index in places),
            typed,
            tuple(self._corrected.items()),
        )

    def _place(self, term: Term, count: int, boost: float) -> None:
        place = self._places[_key(term)] = len(self._terms)
        self._terms.append(term)
        self._order.append(place)
        self._counts.append(count)
        self._boosts.append(boost)


def _key(term: Term) -> _Key:
    """What tells terms apart, however they are written."""
    return term.table, term.token, term.is_prefix, term.is_of_names
