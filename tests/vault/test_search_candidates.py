"""Which pages are ranked: those that FTS5 ranks best when it looks at all of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vault.index.index import Index
from vault.search.candidates import Collector
from vault.search.scope import Scope
from vault.search.search import Search
from vault.search.terms import Analyser

PAGES = 150
WORDS = tuple(f"word{number}" for number in range(12))
"""The first ones are in nearly every page, the last ones in few."""
ALL = Scope(None, frozenset(), ())


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("candidates")
    (folder / "notes").mkdir()
    chance = random.Random(3)
    for number in range(PAGES):
        words = [WORDS[int(12 * chance.random() ** 2)] for _ in range(chance.randrange(5, 60))]
        (folder / "notes" / f"N{number}.md").write_text(" ".join(words))
    made = Index(folder / "notes", folder / "i.sqlite")
    made.refresh()
    yield made
    made.close()


@settings(max_examples=150, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True))
def test_words_of_most_pages_are_left_out_without_another_choice(
    index: Index, words: list[str]
) -> None:
    terms = Analyser().terms(" ".join(words))
    with index.reading() as connection:
        collector = Collector(connection)
        counts = [collector.vocabulary.pages_with(term) for term in terms]
        chosen = collector.collect(terms, counts, [1.0] * len(terms), ALL).candidates
        best: list[Any] = connection.execute(
            "SELECT rowid, rank FROM words WHERE words MATCH ?"
            " AND rank MATCH 'bm25(6.0, 6.0, 3.0, 1.0, 1.5)' ORDER BY rank",
            (" OR ".join(term.expression for term in terms),),
        ).fetchall()
        having: list[Any] = [
            {page for (page,) in connection.execute("SELECT rowid FROM words(?)", (each.text,))}
            for each in terms
        ]
    assert len(chosen) >= min(30, len(best))
    # FTS5 gives words of most pages a weight of a millionth instead of none.
    least = best[len(chosen) - 1][1] + 1e-4
    assert all(rank <= least for page, rank in best if page in chosen)
    assert {page for page, rank in best if rank < least - 2e-4} <= set(chosen)
    for page, candidate in chosen.items():
        assert {i for i, pages in enumerate(having) if page in pages} == set(candidate.places)


def test_a_letter_that_begins_many_words_finds_names(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for number in range(12):
        (tmp_path / "notes" / f"Quince {number}.md").write_text("fruit")
    words = " ".join(f"q{chr(97 + one)}{chr(97 + two)}x" for one in range(12) for two in range(12))
    (tmp_path / "notes" / "Words.md").write_text(words)
    index = Index(tmp_path / "notes", tmp_path / "i.sqlite")
    index.refresh()
    search = Search(lambda: index)
    named = search.find("q", is_typing=True)
    assert {hit.title.split()[0] for hit in named.hits} == {"Quince"}
    assert search.find("fruit q", is_typing=True).total == 12
    assert [hit.title for hit in search.find("qab", is_typing=True).hits] == ["Words"]
    index.close()
