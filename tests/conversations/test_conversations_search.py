"""Search over all chats: what is found, where exactly, and what the filters let by."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vault.conversations.query import ChatFilter
from vault.conversations.search import ChatHit
from vault.conversations.store import Conversations, temporary_conversations
from vault.conversations.values import Draft

NOW = datetime.now().astimezone()


def say(store: Conversations, *texts: str) -> str:
    chat = store.chats.create().id
    for text in texts:
        store.messages.add(chat, Draft("user", text))
    return chat


def text_of(store: Conversations, hit: ChatHit) -> str:
    node = store.messages.tree(hit.chat.id).get(hit.message)
    assert node is not None
    return node.text


def found(store: Conversations, query: str) -> list[str]:
    return [text_of(store, hit) for hit in store.search.find(query).hits]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Clean a cloth, cloths too", "cloths", ["cloth", "cloths"]),
        ("Größe der Straße", "groesse strasse GRÖSSE größe", ["Größe"]),
        ("👩‍👩‍👧‍👦 family 🏳️‍🌈 photo", "photo", ["photo"]),
        ("我想清洁相机镜头", "镜头", ["镜头"]),
        ("我想清洁相机镜头", "相机镜头", ["相机", "机镜", "镜头"]),
        ("カメラのレンズ", "レ", ["レ"]),
        ("카메라 렌즈", "렌즈", ["렌즈"]),
        (
            unicodedata.normalize("NFD", "카메라 렌즈를"),
            "렌즈",
            [unicodedata.normalize("NFD", "렌즈")],
        ),
        ("ภาษาไทยสวย", "ไทย", None),
        (unicodedata.normalize("NFD", "un café noir"), "cafe", ["cafe\u0301"]),
        ("un café noir", "CAFE\u0301", ["café"]),
        ("İstanbul is large", "large", ["large"]),
        ("a\x00zero byte", "zero", ["zero"]),
        ("x\u2028line separator", "separator", ["separator"]),
        ("שלום עולם", "עולם", ["עולם"]),
        ("one two three", '"two three"', ["two", "three"]),
        ("C++ and C#", "C++", ["C", "C"]),
    ],
)
def test_what_is_found_is_marked_to_the_character(
    text: str, query: str, marked: list[str] | None
) -> None:
    with temporary_conversations() as store:
        say(store, f"\U0001f600 {text}", "something else")
        (hit,) = store.search.find(query).hits
        stored = text_of(store, hit)
        pieces = [stored[start:end] for start, end in hit.places]
        assert pieces == marked if marked is not None else pieces
        shown = [hit.snippet[start:end] for start, end in hit.highlights]
        assert shown == pieces


_WORDS = st.lists(
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6), min_size=1, max_size=8
)
_GAPS = st.sampled_from([" ", "\n", ", ", " 😀 ", "\u0301 ", "\t"])


@settings(max_examples=40, deadline=None)
@given(_WORDS, _GAPS, st.integers(0, 7), st.integers(0, 200))
def test_every_word_is_found_where_it_is(
    words: list[str], gap: str, which: int, before: int
) -> None:
    wanted = words[which % len(words)]
    text = "x " * before + gap.join(words)
    with temporary_conversations() as store:
        say(store, text)
        results = store.search.find(f'"{wanted}"')
        for hit in results.hits:
            for start, end in hit.places:
                assert 0 <= start < end <= len(text)
            for (start, end), (first, last) in zip(hit.highlights, hit.places, strict=False):
                assert end - start > 0
                assert last - first > 0
        if wanted.isascii() and not results.chats:
            (hit,) = results.hits
            folded = [text[start:end].casefold() for start, end in hit.places]
            assert wanted.casefold() in folded


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(max_size=40) | st.text('"*():^-+ NEARORAND{}', max_size=20))
def test_any_text_is_a_query(store: Conversations, query: str) -> None:
    if not store.chats.listed():
        say(store, "hello near or and")
    store.search.find(query)
    store.search.find(query, is_typing=True)


def test_very_long_queries_and_messages() -> None:
    with temporary_conversations() as store:
        long = "needle in " + "hay " * 20_000 + "needle"
        say(store, long)
        (hit,) = store.search.find("needle").hits
        assert [long[start:end] for start, end in hit.places] == ["needle", "needle"]
        assert len(hit.snippet) < 200
        assert store.search.find("needle " * 3000).hits


def test_all_words_then_any_then_none() -> None:
    with temporary_conversations() as store:
        say(store, "red apple", "green pear", "red pear")
        assert found(store, "red pear") == ["red pear"]
        assert found(store, "pear -red") == ["green pear"]
        assert found(store, '"green pear"') == ["green pear"]
        results = store.search.find("apple banana")
        assert results.is_loosened
        assert [text_of(store, hit) for hit in results.hits] == ["red apple"]
        assert found(store, "banana") == []
        assert found(store, "的 apple") == ["red apple"], "loosened over both tables"


def test_a_word_being_typed_may_go_on() -> None:
    with temporary_conversations() as store:
        say(store, "photography", "写真を撮る")
        assert store.search.find("photog").hits == ()
        (hit,) = store.search.find("photog", is_typing=True).hits
        assert hit.places == ((0, 11),)
        assert store.search.find("photog ", is_typing=True).hits == ()
        assert len(store.search.find("写", is_typing=True).hits) == 1


def test_titles_are_found_too() -> None:
    with temporary_conversations() as store:
        chat = say(store, "what about it?")
        store.chats.rename(chat, "Lens cleaning 相机")
        for query in ("cleans", "clean lens", "相机"):
            assert [each.id for each in store.search.find(query).chats] == [chat]
        assert [each.id for each in store.search.find("cle", is_typing=True).chats] == [chat]
        assert store.search.find("role:user lens").chats == ()


def test_filters() -> None:
    with temporary_conversations() as store:
        chat = store.chats.create().id
        old = NOW - timedelta(days=400)
        store.messages.add(chat, Draft("user", "apple asked", created=old))
        store.messages.add(chat, Draft("assistant", "apple answered", model="Qwen-4B"))
        other = say(store, "apple elsewhere")
        store.chats.pin(chat)
        store.chats.tag(chat, ["Fruit", "#kitchen stuff"])
        cases = {
            "apple role:user": {"apple asked", "apple elsewhere"},
            "apple role:assistant": {"apple answered"},
            "apple is:pinned": {"apple asked", "apple answered"},
            "apple tag:fruit": {"apple asked", "apple answered"},
            "apple #fruit role:user": {"apple asked"},
            "apple tag:vegetable": set(),
            "apple model:qwen": {"apple answered"},
            f"apple until:{old:%Y-%m-%d}": {"apple asked"},
            f"apple before:{old:%Y-%m-%d}": set(),
            f"apple after:{old:%Y-%m-%d}": {"apple answered", "apple elsewhere"},
            f"apple on:{NOW:%Y-%m}": {"apple answered", "apple elsewhere"},
            f"apple since:{old:%Y}": {"apple asked", "apple answered", "apple elsewhere"},
            "role:assistant": {"apple answered"},
        }
        for query, expected in cases.items():
            assert set(found(store, query)) == expected, query
        results = store.search.find("apple since:nonsense")
        assert results.is_loosened, "what is no filter is words"
        hits = store.search.find("apple", ChatFilter(chat=other)).hits
        assert [hit.chat.id for hit in hits] == [other]


def test_what_is_deleted_is_not_found_and_what_comes_back_is() -> None:
    with temporary_conversations() as store:
        chat = say(store, "apple one", "apple two")
        tree = store.messages.tree(chat)
        deleted = store.messages.delete(tree.path()[0].id)
        assert found(store, "apple") == ["apple two"]
        store.messages.restore(deleted.messages)
        assert len(found(store, "apple")) == 2
        store.trash.put([chat])
        assert found(store, "apple") == []
        store.trash.take_back([chat])
        assert len(found(store, "apple")) == 2
        answer = store.answers.begin(chat).id
        store.answers.append(answer, "apple three")
        assert len(found(store, "apple")) == 2, "an answer is found when it has ended"
        store.answers.finish(answer)
        assert len(found(store, "apple")) == 3
