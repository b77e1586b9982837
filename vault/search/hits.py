"""Reads the pages that ranked best and shows where they answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import apsw

from vault.article.page import parse_article
from vault.errors import VaultError
from vault.files import read_article
from vault.index.facts import passages_of
from vault.index.index import Index
from vault.index.rows import SEPARATOR
from vault.search.passages import Stretch, best_passages
from vault.search.ranking import Ranked
from vault.search.result import Hit
from vault.search.terms import Analyser, Wanted


@dataclass(frozen=True, slots=True)
class _Page:
    id: int
    path: str
    title: str
    date: str
    sha256: str


class HitReader:
    """Turns ranked pages into hits; a page whose file is gone is none."""

    def __init__(self, index: Index, analyser: Analyser, wanted: Wanted) -> None:
        self._index = index
        self._analyser = analyser
        self._wanted = wanted

    def read(
        self, connection: apsw.Connection, ranked: Sequence[Ranked], limit: int
    ) -> tuple[Hit, ...]:
        """Read the best `limit` of them."""
        hits: list[Hit] = []
        for each in ranked:
            if len(hits) >= limit:
                break
            hit = self._hit(connection, each)
            if hit is not None:
                hits.append(hit)
        return tuple(hits)

    def _hit(self, connection: apsw.Connection, ranked: Ranked) -> Hit | None:
        row = connection.execute(
            "SELECT id, path, title, date, sha256 FROM page WHERE id = ?",
            (ranked.candidate.page,),
        ).fetchone()
        if row is None:
            return None
        page = _Page(*row)
        try:
            file = read_article(self._index.root, page.path)
        except VaultError:
            return None
        text = file.text or ""
        known = file.sha256 == page.sha256
        stretches = _known(connection, page.id, text) if known else _anew(text)
        return Hit(
            page.path,
            page.title,
            page.date,
            ranked.score,
            ranked.parts,
            best_passages(stretches, self._wanted, self._analyser),
        )


def _known(connection: apsw.Connection, page: int, text: str) -> Iterator[Stretch]:
    for start, end, line, path, anchor in connection.execute(
        "SELECT start, end, line, heading_path, anchor FROM passage WHERE page = ? ORDER BY start",
        (page,),
    ):
        headings = tuple(path.split(SEPARATOR)) if path else ()
        yield Stretch(text[start:end], line, headings, anchor)


def _anew(text: str) -> Iterator[Stretch]:
    """The page has changed since it was indexed."""
    for each in passages_of(parse_article(text)):
        yield Stretch(text[each.start : each.end], each.line, each.heading_path, each.anchor)
