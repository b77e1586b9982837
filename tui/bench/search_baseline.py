"""What plain FTS5 finds: its own tokenizers, the words joined by OR, titles four times as heavy.

Porter stems for words, and trigrams for scripts that put no space between them. The same over the
tables of our index tells what they alone are worth.
"""

from __future__ import annotations

from collections.abc import Mapping

import apsw

from vault.index.grams import runs
from vault.index.index import Index
from vault.names import stem_of, title_of
from vault.search.query import parse_query
from vault.search.stop_words import without_stop_words
from vault.search.terms import Analyser

_MOST = 200
_TABLES = {
    "stems": "porter unicode61 remove_diacritics 2",
    "trigrams": "trigram",
}


class PlainSearch:
    """Searches texts by their paths."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._connection = apsw.Connection(":memory:")
        self._analyser = Analyser()
        self._paths = sorted(texts)
        for table, tokenizer in _TABLES.items():
            self._connection.execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5"
                f" (title, body, tokenize = '{tokenizer}', content = '')"
            )
            self._connection.executemany(
                f"INSERT INTO {table} (rowid, title, body) VALUES (?, ?, ?)",
                (
                    (row, title_of(stem_of(path)), texts[path].encode("utf-8", "replace").decode())
                    for row, path in enumerate(self._paths)
                ),
            )

    def find(self, text: str) -> list[str]:
        """Return the paths of the pages that match, best first."""
        words = without_stop_words(parse_query(text).words)
        terms = self._analyser.terms(" ".join(words))
        stems = {term.text for term in terms if term.table == "words"}
        trigrams = {run[i : i + 3] for run in runs(text) for i in range(len(run) - 2)}
        points: dict[int, float] = {}
        for table, wanted in (("stems", stems), ("trigrams", trigrams)):
            if wanted:
                expression = " OR ".join(f'"{each}"' for each in sorted(wanted))
                for row, rank in self._connection.execute(
                    f"SELECT rowid, rank FROM {table} WHERE {table} MATCH ?"
                    f" AND rank MATCH 'bm25(4.0, 1.0)' ORDER BY rank LIMIT {_MOST}",
                    (expression,),
                ):
                    points[row] = points.get(row, 0.0) - rank
        return [self._paths[row] for row in sorted(points, key=lambda row: (-points[row], row))]


class TableSearch:
    """Searches the tables of words of an index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._analyser = Analyser()

    def find(self, text: str) -> list[str]:
        """Return the paths of the pages that match, best first."""
        words = without_stop_words(parse_query(text).words)
        terms = self._analyser.terms(" ".join(words))
        points: dict[int, float] = {}
        with self._index.reading() as connection:
            paths = dict(connection.execute("SELECT id, path FROM page"))
            for table in ("words", "grams"):
                wanted = sorted({term.expression for term in terms if term.table == table})
                if wanted:
                    for row, rank in connection.execute(
                        f"SELECT rowid, rank FROM {table} WHERE {table} MATCH ?"
                        " AND rank MATCH 'bm25(4.0, 1.0, 1.0, 1.0, 1.0)'"
                        f" ORDER BY rank LIMIT {_MOST}",
                        (" OR ".join(wanted),),
                    ):
                        points[row] = points.get(row, 0.0) - rank
        return [paths[row] for row in sorted(points, key=lambda row: (-points[row], row))]
