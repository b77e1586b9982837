"""What somebody who types a query means by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.search.passages import Stretch, best_passages
from vault.search.query import Filter, parse_query
from vault.search.spelling import edits
from vault.search.stop_words import without_stop_words
from vault.search.terms import Analyser, Wanted

ANALYSER = Analyser()


@pytest.mark.parametrize(
    ("text", "words", "phrases", "excluded"),
    [
        ("", (), (), ()),
        ("old lens", ("old", "lens"), (), ()),
        ('"old lens" care', ("care",), ("old lens",), ()),
        ('care "old le', ("care",), ("old le",), ()),
        ("“old lens” „alte Linse“", (), ("old lens", "alte Linse"), ()),
        ("lens -old", ("lens",), (), ("old",)),
        ('lens -"old one"', ("lens",), (), ("old one",)),
        ("multi-agent - -- a-", ("multi-agent", "-", "--", "a-"), (), ()),
        ('foo:bar title: AND ( * ""', ("foo:bar", "title:", "AND", "(", "*"), (), ()),
        ("C++ don't v1.0.21", ("C++", "don't", "v1.0.21"), (), ()),
        ("cafe\u0301", ("café",), (), ()),
        ("#1 # #", ("#1", "#", "#"), (), ()),
    ],
)
def test_words_phrases_and_what_is_not_wanted(
    text: str, words: tuple[str, ...], phrases: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    query = parse_query(text)
    assert (query.words, query.phrases, query.excluded) == (words, phrases, excluded)
    assert (query.filters, query.tags) == ((), ())


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("title:lens", [Filter("title", "lens")]),
        ('TITLE:"old lens" x', [Filter("title", "old lens")]),
        ("-tag:draft", [Filter("tag", "draft", is_excluded=True)]),
        ("-#draft", [Filter("tag", "draft", is_excluded=True)]),
        ('path:"a b/" heading:Use', [Filter("path", "a b/"), Filter("heading", "Use")]),
        ("category:光学", [Filter("category", "光学")]),
    ],
)
def test_filters(text: str, filters: list[Filter]) -> None:
    assert list(parse_query(text).filters) == filters


def test_a_tag_and_a_last_word_that_goes_on() -> None:
    assert parse_query("x #work/home").tags == ("work/home",)
    assert parse_query("old le", is_typing=True).is_unfinished
    for text in ("old le ", '"old le', "old -le", "old #le", ""):
        assert not parse_query(text, is_typing=True).is_unfinished


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("how do I clean the lens", "clean lens"),
        ("was ist der Sinn", "Sinn"),
        ("où est la bibliothèque", "bibliothèque"),
        ("что это за книга", "книга"),
        ("the who", "the who"),
        ("die hard", "die hard"),
    ],
)
def test_stop_words_go_unless_nothing_is_left(typed: str, left: str) -> None:
    assert without_stop_words(typed.split()) == tuple(left.split())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Running C++", ["run", "c"]),
        ("使用Python编程", ["python", "使用", "编程"]),
        ("大黑猫", ["大黑", "黑猫"]),
        ("猫", ["猫"]),
        ("Ünïcode हिन्दी", ["unicod", "हिन्दी"]),
        ("ไทยกิน", ["ไท", "ทย", "ยก", "กิ", "ิน"]),
        ('( * "" 😀', []),
    ],
)
def test_texts_are_taken_apart_as_the_index_does(text: str, found: list[str]) -> None:
    assert [term.token for term in ANALYSER.terms(text)] == found


@given(st.text())
def test_tokens_lie_where_their_words_are(text: str) -> None:
    keys = {term.token: 1.0 for term in ANALYSER.terms(text)}
    places = ANALYSER.places(text, Wanted(keys))
    assert {token.token for token in places} == set(keys)
    for token in places:
        assert 0 <= token.start < token.end <= len(text)
        assert any(term.token for term in ANALYSER.terms(text[token.start : token.end]))


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("lens", "lens", 0),
        ("lens", "lnes", 1),
        ("lens", "len", 1),
        ("lens", "flens", 1),
        ("lens", "lent", 1),
        ("lens", "bolt", 3),
        ("", "ab", 2),
        ("abcd", "badc", 2),
    ],
)
def test_edits_between_words(one: str, other: str, distance: int) -> None:
    assert edits(one, other, 2) == edits(other, one, 2) == distance


def test_a_snippet_shows_the_words_and_marks_them() -> None:
    text = "# Care\n\n" + "nothing here. " * 60 + "Wipe the\ncafé lenses gently. " + "end. " * 99
    stretch = Stretch(text, 7, ("Care",), "care")
    wanted = Wanted({"lens": 2.0, "cafe": 1.0})
    other = Stretch("Nothing of it.", 90, (), "")
    (passage,) = best_passages([other, stretch], wanted, ANALYSER)
    assert (passage.line, passage.heading_path, passage.anchor) == (7, ("Care",), "care")
    marked = [passage.snippet[start:end] for start, end in passage.highlights]
    assert marked == ["café", "lenses"]
    assert passage.snippet.startswith("… ")
    assert len(passage.snippet) < 260
    (first,) = best_passages([other, stretch], Wanted({"absent": 1.0}), ANALYSER)
    assert (first.line, first.snippet, first.highlights) == (90, "Nothing of it.", ())
