"""Puts candidates in order: a sum of parts, each of which can be shown and left out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vault.search.candidates import Candidate, Collected
from vault.search.result import Part

_K1 = 1.2
_REACH = 12


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part counts; `fields` are the columns of the index."""

    fields: tuple[float, ...] = (4.0, 4.0, 2.0, 1.0, 1.0)
    lengths: tuple[float, ...] = (0.4, 0.2, 0.4, 0.7, 0.4)
    coverage: float = 1.0
    names: float = 1.0
    proximity: float = 0.5
    authority: float = 0.05
    recency: float = 0.0


@dataclass(frozen=True, slots=True)
class Name:
    """What a page is called, as tokens."""

    text: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What ranking needs of a page beside its words; `days` is its age."""

    names: tuple[Name, ...] = ()
    links: int = 0
    days: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and what it is made of."""

    candidate: Candidate
    score: float
    parts: tuple[Part, ...]


class Ranking:
    """One query's way to score; `order` has the terms' indexes as they were typed."""

    def __init__(
        self, collected: Collected, order: Sequence[int], typed: tuple[str, ...], weights: Weights
    ) -> None:
        self._all = collected
        self._order = order
        self._typed = typed
        self._weights = weights
        self._total = sum(collected.weights) or 1.0
        self._near_total = sum(self._near_weight(*pair) for pair in self._neighbours()) or 1.0
        self._token_weights = {
            term.token: weight
            for term, weight in zip(collected.terms, collected.weights, strict=True)
        }

    def rank(self, facts: Mapping[int, PageFacts]) -> list[Ranked]:
        """Return the candidates, best first; equals in the order of their pages."""
        ranked = [
            self._ranked(each, facts.get(each.page, PageFacts()))
            for each in self._all.candidates.values()
        ]
        ranked.sort(key=lambda each: (-each.score, each.candidate.page))
        return ranked

    def _ranked(self, candidate: Candidate, facts: PageFacts) -> Ranked:
        weights = self._weights
        parts = [self._text(candidate)]
        coverage = self._coverage(candidate)
        parts.append(Part("coverage", parts[0].points * (coverage**weights.coverage - 1)))
        if weights.names:
            parts.append(self._names(facts.names))
        if weights.proximity:
            parts.append(self._proximity(candidate))
        if weights.authority:
            parts.append(Part("links", weights.authority * math.log1p(facts.links)))
        if weights.recency and facts.days is not None:
            parts.append(Part("date", weights.recency * math.exp(-facts.days / 365)))
        return Ranked(candidate, sum(part.points for part in parts), tuple(parts))

    def _text(self, candidate: Candidate) -> Part:
        """BM25 over weighted fields, each with a length of its own."""
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
        return Part("words", points / self._total, tuple(words))

    def _coverage(self, candidate: Candidate) -> float:
        return sum(self._all.weights[index] for index in candidate.places) / self._total

    def _names(self, names: Sequence[Name]) -> Part:
        """The name that says most of the query and least besides."""
        best, text = 0.0, ""
        for name in names:
            if not name.tokens:
                continue
            found = set(name.tokens) & self._token_weights.keys()
            covered = sum(self._token_weights[token] for token in found) / self._total
            filled = sum(token in found for token in name.tokens) / len(name.tokens)
            value = covered * filled
            if name.tokens == self._typed:
                value = 1.5
            if value > best:
                best, text = value, name.text
        return Part("name", self._weights.names * best, (text,) if text else ())

    def _proximity(self, candidate: Candidate) -> Part:
        """Neighbours of the query that are neighbours in the page."""
        points, words = 0.0, []
        for first, second in self._neighbours():
            places, others = candidate.places.get(first), candidate.places.get(second)
            if not places or not others:
                continue
            gap = min(
                (_gap(*columns) for columns in zip(places, others, strict=True)), default=_REACH
            )
            if gap < _REACH:
                points += self._near_weight(first, second) / gap
                words.append(f"{self._all.terms[first].text} {self._all.terms[second].text}")
        return Part("proximity", self._weights.proximity * points / self._near_total, tuple(words))

    def _neighbours(self) -> list[tuple[int, int]]:
        terms = self._all.terms
        return [
            (first, second)
            for first, second in zip(self._order, self._order[1:], strict=False)
            if terms[first].table == terms[second].table and first != second
        ]

    def _near_weight(self, first: int, second: int) -> float:
        return min(self._all.weights[first], self._all.weights[second])


def _gap(places: Sequence[int], others: Sequence[int]) -> int:
    """Return the shortest way from one place to a later one; backwards counts as one more."""
    best, index = _REACH, 0
    for place in places:
        while index < len(others) and others[index] <= place:
            index += 1
        if index < len(others):
            best = min(best, others[index] - place)
        if index:
            best = min(best, place - others[index - 1] + 1)
    return max(best, 1)
