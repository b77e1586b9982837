"""Reads the pages that ranked best and shows where they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from vault.errors import VaultError
from vault.files import read_article
from vault.index.index import Index
from vault.search.passages import best_passages
from vault.search.ranking import Ranked
from vault.search.result import Hit
from vault.search.stretches import indexed_stretches, stretches_anew
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
        stretches = indexed_stretches(connection, page.id, text) if known else stretches_anew(text)
        return Hit(
            page.path,
            page.title,
            page.date,
            ranked.score,
            ranked.parts,
            best_passages(stretches, self._wanted, self._analyser),
        )
