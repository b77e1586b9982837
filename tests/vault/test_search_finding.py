"""What is found, in which order, and that nothing that is typed is an error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault.index.index import Index
from vault.obsidian import Exclusions
from vault.search.result import Results
from vault.search.search import Search

HARDEN = os.environ.get("ZIB_HARDEN") == "1"

PAGES = {
    "Lens.md": "# Lens\n\nGlass that bends light.\n\n## Care\n\nClean it with a soft cloth.",
    "Camera.md": "---\naliases: [Lichtbildgerät]\ntags: [work/photo]\nupdated: 2026-03-01\n"
    "isbn: 9783161484100\nmaker:\n  name: Voigtländer\n---\n"
    "# Camera\n\nTakes pictures through a [[Lens]]. See [[Tripod head]] and [[Tripod head]].",
    "Trips/Rome.md": "Walks with the camera. #travel\n\n## Food\n\nCarbonara, café crème.",
    "Trips/Kyoto 京都.md": "我们使用Python编程。东京塔很高。黑猫\n\nกินข้าวที่ตลาด",
    "C++.md": "A language with pointers.",
    "Long.md": "filler word. " * 4200 + "zanzibar",
    "Hidden/Secret.md": "lens camera zanzibar",
}


def write(root: Path, pages: dict[str, str]) -> None:
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def made_index(folder: Path) -> Index:
    write(folder / "notes", PAGES)
    index = Index(folder / "notes", folder / "i.sqlite", Exclusions(["Hidden/"]))
    index.refresh()
    return index


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Search]:
    """On pages that do not change."""
    index = made_index(tmp_path_factory.mktemp("search"))
    yield Search(lambda: index)
    index.close()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """On pages of one test."""
    made = made_index(tmp_path)
    yield made
    made.close()


def found(results: Results) -> list[str]:
    return [hit.path.removesuffix(".md").rpartition("/")[2] for hit in results.hits]


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("lenses", ["Lens", "Camera"]),
        ("how do I clean a lens?", ["Lens", "Camera"]),
        ("camera -rome", ["Camera"]),
        ("camera -walks", ["Camera"]),
        ('"soft cloth"', ["Lens"]),
        ('-"takes pictures" lens', ["Lens"]),
        ("title:camera", ["Camera"]),
        ("title:lichtbildgerat", ["Camera"]),
        ("heading:food", ["Rome"]),
        ("#travel", ["Rome"]),
        ("tag:work", ["Camera"]),
        ("tag:work -tag:work/photo", []),
        ("path:trips camera", ["Rome"]),
        ("#walks", ["Rome"]),
        ("lichtbildgerät", ["Camera"]),
        ("CREME", ["Rome"]),
        ("cre\u0300me", ["Rome"]),
        ("京都", ["Kyoto 京都"]),
        ("编程", ["Kyoto 京都"]),
        ("python编程", ["Kyoto 京都"]),
        ("京", ["Kyoto 京都"]),
        ("猫", ["Kyoto 京都"]),
        ('"黑猫"', ["Kyoto 京都"]),
        ("京塔很高", ["Kyoto 京都"]),
        ("ข้าว", ["Kyoto 京都"]),
        ("C++", ["C++"]),
        ("9783161484100", ["Camera"]),
        ("voigtlander maker", ["Camera"]),
        ("zanzibar", ["Long"]),
        ("", []),
        ('( * "" ?', []),
        ("++", ["C++"]),
    ],
)
def test_pages_are_found(search: Search, query: str, paths: list[str]) -> None:
    assert found(search.find(query)) == paths


def test_stop_words_alone_are_looked_for(search: Search) -> None:
    assert {"Lens", "Rome"} <= set(found(search.find("the and of with")))


def test_the_last_word_goes_on_while_it_is_typed(search: Search) -> None:
    for text in ("carbo", "carbonara poin", "photographi pictu", "京"):
        assert search.find(text, is_typing=True).hits
    assert found(search.find("carbo", is_typing=True)) == ["Rome"]


def test_a_word_that_is_nowhere_becomes_one_that_is_near(search: Search) -> None:
    results = search.find("carbnoara")
    assert found(results) == ["Rome"]
    assert results.corrected == (("carbnoara", ("carbonara",)),)
    assert found(search.find("quizzical carb")) == ["Rome"]
    assert search.find("quizzical").hits == ()


def test_phrases_that_are_nowhere_are_loosened(search: Search) -> None:
    results = search.find('"cloth soft"')
    assert results.is_loosened
    assert found(results) == ["Lens"]
    assert not search.find('"soft cloth"').is_loosened
    assert search.find('"soft cloth" path:trips').hits == ()


def test_two_searches_of_one_index_do_not_disturb_each_other(index: Index) -> None:
    first, second = (Search(lambda: index) for _ in range(2))
    assert found(first.find("camera")) == found(second.find("camera")) == ["Camera", "Rome"]
    assert found(first.find("camera")) == ["Camera", "Rome"]


def test_wanted_and_near_titles_are_suggested(search: Search) -> None:
    (wanted,) = search.find("tripod head").suggestions
    assert (wanted.title, wanted.path, wanted.links) == ("Tripod head", "", 2)
    assert [each.title for each in search.find("tripod").suggestions] == ["Tripod head"]
    near = search.find("kamera").suggestions
    assert [(each.title, each.path) for each in near] == [("Camera", "Camera.md")]


def test_a_hit_says_where_and_why(search: Search) -> None:
    hit = search.find("soft lens cloth", limit=1).hits[0]
    assert (hit.path, hit.title) == ("Lens.md", "Lens")
    (passage,) = hit.passages
    assert (passage.heading_path, passage.anchor, passage.line) == (("Lens", "Care"), "care", 5)
    marked = [passage.snippet[start:end] for start, end in passage.highlights]
    assert marked == ["soft", "cloth"]
    assert sum(part.points for part in hit.parts) == pytest.approx(hit.score)
    said = {part.name: part.words for part in hit.parts}
    assert set(said["words"]) == {"soft", "lens", "cloth"}
    assert said["name"] == ("Lens",)
    assert search.find("camera").hits[0].date == "2026-03-01"
    (long,) = search.find("zanzibar").hits
    assert "zanzibar" in long.passages[0].snippet


def test_what_is_gone_is_not_found_even_before_the_index_knows(
    index: Index, tmp_path: Path
) -> None:
    search = Search(lambda: index)
    (tmp_path / "notes/Lens.md").unlink()
    assert "Lens" not in found(search.find("lens"))
    index.update(["Lens.md"])
    assert found(search.find("soft cloth")) == []
    write(index.root, {"Camera.md": "# Camera\n\nNew words.\n\n## Last\n\nIt takes pictures."})
    assert search.find("takes pictures").hits[0].passages[0].heading_path == ("Camera", "Last")
    index.refresh()
    assert search.find("tripod").hits == ()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("lens", "Lens"),
        ("cam", "Camera"),
        ("lbg", "Lichtbildgerät"),
        ("kyo京", "Kyoto 京都"),
        ("京都", "Kyoto 京都"),
        ("c+", "C++"),
        ("ROME", "Rome"),
        ("gerat", "Lichtbildgerät"),
    ],
)
def test_names_are_jumped_to_by_their_letters(search: Search, text: str, first: str) -> None:
    named = search.jump(text)[0]
    assert named.name == first
    marked = "".join(named.name[start:end] for start, end in named.highlights)
    assert len(marked) >= len(text)


def test_a_jump_prefers_starts_of_words(index: Index) -> None:
    search = Search(lambda: index)
    write(
        index.root, {f"n/{name}.md": "" for name in ("Dismal", "Digital Minimalism", "Admin", "dm")}
    )
    index.refresh()
    names = [each.name for each in search.jump("dm")]
    assert names == ["dm", "Digital Minimalism", "Admin", "Dismal"]
    assert search.jump("") == search.jump("zzz") == ()
    assert len(search.jump("m", limit=2)) == 2


SIGNS = ("lens", '"', "-", "title:", "#", "AND", "NEAR(", "*", "^", "京都", "猫", "C++", "\0", "'")
WORDS = ("{title}:", "don't", "\ud800", "e\u0301", " ", "  ", "tag:work", "ก", "v1.0.21", "+", ")")
pieces = st.sampled_from(SIGNS + WORDS)
queries = st.one_of(st.text(), st.lists(pieces, max_size=8).map("".join))


@settings(
    max_examples=2000 if HARDEN else 120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(queries, st.booleans())
def test_any_text_is_a_query(search: Search, text: str, is_typing: bool) -> None:
    results = search.find(text, limit=3, is_typing=is_typing)
    assert [hit.score for hit in results.hits] == sorted(
        (hit.score for hit in results.hits), reverse=True
    )
    assert "Secret" not in found(results)
    for hit in results.hits:
        for passage in hit.passages:
            assert all(0 <= s < e <= len(passage.snippet) for s, e in passage.highlights)
    for named in search.jump(text, 3):
        assert all(0 <= start < end <= len(named.name) for start, end in named.highlights)
