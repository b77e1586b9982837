"""Puts candidates in order: a sum of parts, each of which can be shown and left out."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vault.search.candidates import Candidate, Collected, Places
from vault.search.result import Part

_K1 = 1.2
_REACH = 12


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts, as the tuning half of the bench's questions has it best.

    `fields` are the columns of the index; `lengths` say how much a long column makes a word in it
    count less, from 0 to 1. `near` is for words only: pairs of characters overlap, and that they
    follow each other says nothing more.
    """

    fields: tuple[float, ...] = (5.0, 6.0, 2.0, 1.0, 4.0)
    lengths: tuple[float, ...] = (0.6, 0.2, 0.4, 0.7, 0.6)
    names: float = 0.1
    whole_name: float = 0.5
    near: float = 1.0


@dataclass(frozen=True, slots=True)
class Name:
    """What a page is called, as tokens."""

    text: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and what it is made of."""

    candidate: Candidate
    score: float
    parts: tuple[Part, ...]


class Ranking:
    """One query's way to score; `order` has the terms' indexes and `typed` all tokens as typed."""

    def __init__(
        self, collected: Collected, order: Sequence[int], typed: tuple[str, ...], weights: Weights
    ) -> None:
        self._all = collected
        self._typed = typed
        self._weights = weights
        terms = collected.terms
        self._neighbours = [
            (
                first,
                second,
                weights.near * min(collected.weights[first], collected.weights[second]),
            )
            for first, second in itertools.pairwise(order)
            if terms[first].table == terms[second].table == "words" and first != second
        ]
        self._token_weights = {
            term.token: weight for term, weight in zip(terms, collected.weights, strict=True)
        }

    def rank(self, names: Mapping[int, Sequence[Name]]) -> list[Ranked]:
        """Return the candidates, best first; equals in the order of their pages."""
        ranked = [
            self._ranked(each, names.get(each.page, ())) for each in self._all.candidates.values()
        ]
        ranked.sort(key=lambda each: (-each.score, each.candidate.page))
        return ranked

    def _ranked(self, candidate: Candidate, names: Sequence[Name]) -> Ranked:
        parts = (self._words(candidate), self._name(names), self._proximity(candidate))
        return Ranked(candidate, sum(part.points for part in parts), parts)

    def _words(self, candidate: Candidate) -> Part:
        """BM25 over weighted columns, each with a length of its own."""
        points, words = 0.0, []
        for index, places in candidate.places.items():
            term = self._all.terms[index]
            sizes = candidate.sizes[term.table]
            averages = self._all.average_sizes[term.table]
            frequency = 0.0
            for column, weight in enumerate(self._weights.fields):
                if places[column]:
                    spread = self._weights.lengths[column]
                    length = 1 - spread + spread * sizes[column] / max(averages[column], 0.1)
                    frequency += weight * len(places[column]) / length
            points += self._all.weights[index] * frequency * (_K1 + 1) / (frequency + _K1)
            words.append(term.text)
        return Part("words", points, tuple(words))

    def _name(self, names: Sequence[Name]) -> Part:
        """The name that says most of the query and least besides."""
        best, text = 0.0, ""
        for name in names:
            found = self._token_weights.keys() & set(name.tokens)
            if not found:
                continue
            filled = sum(token in found for token in name.tokens) / len(name.tokens)
            said = sum(self._token_weights[token] for token in found)
            points = self._weights.names * filled * said
            if name.tokens == self._typed:
                points += self._weights.whole_name * said
            if points > best:
                best, text = points, name.text
        return Part("name", best, (text,) if text else ())

    def _proximity(self, candidate: Candidate) -> Part:
        """Neighbours of the query that are near each other in the page."""
        points, words = 0.0, []
        for first, second, weight in self._neighbours:
            places, others = candidate.places.get(first), candidate.places.get(second)
            gap = _gap(places, others) if places and others else _REACH
            if gap < _REACH:
                points += weight / gap
                words.append(f"{self._all.terms[first].text} {self._all.terms[second].text}")
        return Part("proximity", points, tuple(words))


def _gap(places: Places, others: Places) -> int:
    """Return the shortest way from one term to the next in a column."""
    return min(_gap_in(*column) for column in zip(places, others, strict=True))


def _gap_in(places: Sequence[int], others: Sequence[int]) -> int:
    """Backwards counts as one more."""
    best, index = _REACH, 0
    for place in places:
        while index < len(others) and others[index] <= place:
            index += 1
        if index < len(others):
            best = min(best, others[index] - place)
        if index:
            best = min(best, place - others[index - 1] + 1)
        if best <= 1:
            return 1
    return best
