"""Reads the pages that ranked best: their passages, and what speaks for each page."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import apsw

from vault.errors import VaultError
from vault.files import read_article
from vault.recall.evidence import Signs
from vault.recall.excerpts import SIZES, excerpt, readable
from vault.recall.linked import Linked
from vault.recall.terms import Terms
from vault.recall.values import Candidate
from vault.search.passages import Stretch
from vault.search.ranking import Ranked
from vault.search.result import Part
from vault.search.stretches import indexed_stretches, stretches_anew
from vault.search.terms import Analyser, Token

_PASSAGES_READ, _PASSAGES_SHOWN = 3, 2
_SECOND_OF_BEST = 0.6
_WITH_SECOND = 3
_MOST_READ = 400_000
_BEGINNING = 3
_PROPERTIES = "---"
Names = Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page with its best passages; a page that says nothing that can be shown has none."""

    page: int
    score: float
    signs: Signs
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class _Scored:
    value: float
    stretch: Stretch
    text: str
    places: list[Token]


@dataclass(slots=True)
class _About:
    """A page as the index knows it; `is_as_indexed` once its file was read."""

    path: str
    title: str
    date: str
    sha256: str
    modified_ns: int
    is_as_indexed: bool = False


class PageReader:
    """Reads pages for one question."""

    def __init__(
        self, root: Path, connection: apsw.Connection, analyser: Analyser, terms: Terms
    ) -> None:
        self._root = root
        self._connection = connection
        self._analyser = analyser
        self._terms = terms
        self._wanted = terms.wanted
        self._beginnings = {
            token: token[: max(_BEGINNING, len(token) - 2)] for token in self._wanted.weights
        }

    def read(self, ranked: Sequence[tuple[Ranked, Names]], most: int) -> list[FoundPage]:
        """Read the best of them; a page whose file is gone is left out."""
        found: list[FoundPage] = []
        for each, names in ranked:
            if len(found) >= most:
                break
            page = self._page(each, names, has_second=len(found) < _WITH_SECOND)
            if page is not None:
                found.append(page)
        return found

    def beginning(self, linked: Linked) -> Candidate | None:
        """What a page says first, which others lead to."""
        about = self._about(linked.page)
        text = self._text(about) if about else None
        if about is None or text is None:
            return None
        for stretch in self._stretches(linked.page, about, text):
            shown = readable(stretch.text)
            if shown:
                scored = _Scored(0.0, stretch, shown, [])
                part = Part("linked", linked.score, linked.titles)
                found = self._candidate(about, scored, linked.score, (part,))
                return replace(found, texts=found.texts[:1])
        return None

    def _page(self, ranked: Ranked, names: Names, *, has_second: bool) -> FoundPage | None:
        about = self._about(ranked.candidate.page)
        text = self._text(about) if about else None
        if about is None or text is None:
            return None
        stretches = self._stretches(ranked.candidate.page, about, text)
        in_names = self._of_names(names)
        scored = self._scored(stretches, _properties(text), set(in_names))
        best = scored[: 2 if has_second else 1]
        least = _SECOND_OF_BEST * scored[0].value if scored else 0.0
        return FoundPage(
            ranked.candidate.page,
            ranked.score,
            self._signs(ranked, names, in_names, scored),
            tuple(
                self._candidate(about, each, ranked.score, ranked.parts)
                for each in best
                if each is best[0] or (each.places and each.value >= least)
            ),
        )

    def _about(self, page: int) -> _About | None:
        row = self._connection.execute(
            "SELECT path, title, date, sha256, modified_ns FROM page WHERE id = ?", (page,)
        ).fetchone()
        return None if row is None else _About(*row)

    def _text(self, about: _About) -> str | None:
        try:
            file = read_article(self._root, about.path)
        except VaultError:
            return None
        about.is_as_indexed = file.sha256 == about.sha256
        return (file.text or "")[:_MOST_READ]

    def _stretches(self, page: int, about: _About, text: str) -> list[Stretch]:
        if about.is_as_indexed:
            return list(indexed_stretches(self._connection, page, text))
        return list(stretches_anew(text))

    def _candidate(
        self, about: _About, each: _Scored, score: float, parts: tuple[Part, ...]
    ) -> Candidate:
        texts = (excerpt(each.text, each.places, self._wanted, size) for size in SIZES)
        return Candidate(
            about.path,
            about.title,
            about.date or _day(about.modified_ns),
            each.stretch.heading_path,
            each.stretch.anchor,
            each.stretch.line,
            tuple(dict.fromkeys(texts)),
            score,
            parts,
        )

    def _scored(
        self, stretches: Sequence[Stretch], properties: Stretch | None, in_names: set[str]
    ) -> list[_Scored]:
        """The passages that can be shown, those first that say most."""
        hopeful = sorted(enumerate(stretches), key=lambda each: (-self._at_most(each[1]), each[0]))
        scored: list[tuple[float, int, Stretch]] = []
        read = hopeful[:_PASSAGES_READ]
        if properties is not None and self._at_most(properties):
            read.append((len(stretches), properties))
        for index, stretch in read:
            said = {each.token for each in self._analyser.places(stretch.text, self._wanted)}
            if not said and stretch is properties:
                continue
            said |= in_names
            said |= set(self._keys(" ".join(stretch.heading_path)))
            value = sum(self._wanted.weights[token] for token in said)
            scored.append((-value, index, stretch))
        scored.sort(key=lambda each: each[:2])
        shown = (self._shown(-value, stretch) for value, _, stretch in scored)
        return list(itertools.islice(filter(None, shown), _PASSAGES_SHOWN))

    def _shown(self, value: float, stretch: Stretch) -> _Scored | None:
        """None for a passage of which nothing can be read, such as a bare heading."""
        text = readable(stretch.text)
        return (
            _Scored(value, stretch, text, self._analyser.places(text, self._wanted))
            if text
            else None
        )

    def _at_most(self, stretch: Stretch) -> float:
        folded = f"{stretch.text} {' '.join(stretch.heading_path)}".casefold()
        return sum(
            self._wanted.weights[token]
            for token, start in self._beginnings.items()
            if start in folded
        )

    def _signs(
        self, ranked: Ranked, names: Names, in_names: Sequence[str], scored: Sequence[_Scored]
    ) -> Signs:
        total, weights = self._terms.total or 1.0, self._wanted.weights
        in_page = {self._terms.terms[index].token for index in ranked.candidate.places}
        named = set(in_names)
        return Signs(
            of_page=sum(weights[token] for token in in_page) / total,
            of_passage=scored[0].value / total if scored else 0.0,
            of_name=sum(weights[token] for token in named) / total,
            name_filled=max(
                (sum(key in named for key in name) / len(name) for name in names if name),
                default=0.0,
            ),
            terms=self._terms.count,
            pages=self._terms.all_pages,
            score=ranked.score / total,
        )

    def _of_names(self, names: Names) -> list[str]:
        return [token for name in names for token in name if token in self._wanted.weights]

    def _keys(self, text: str) -> Iterator[str]:
        for token in self._analyser.keys(text):
            key = self._wanted.key(token)
            if key is not None:
                yield key


def _properties(text: str) -> Stretch | None:
    """The front matter: what stands there may be what is asked for."""
    end = text.find(f"\n{_PROPERTIES}", len(_PROPERTIES))
    if not text.startswith(_PROPERTIES) or end < 0:
        return None
    return Stretch(text[len(_PROPERTIES) : end], 1, (), "")


def _day(modified_ns: int) -> str:
    try:
        return datetime.datetime.fromtimestamp(modified_ns / 1e9).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
