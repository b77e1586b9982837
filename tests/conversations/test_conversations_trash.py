"""Deleting, having back, and text that is gone for good."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vault.conversations.errors import Ambiguous, ChatMissing, MessageMissing
from vault.conversations.store import (
    Conversations,
    conversations_file,
    open_conversations,
    temporary_conversations,
)
from vault.conversations.values import (
    Attachment,
    ChatOptions,
    Citation,
    Draft,
    Extras,
    ToolCall,
    Usage,
)

SECRET = "Wolpertinger"


def bytes_on_disk(data_dir: Path) -> bytes:
    return b"".join(path.read_bytes() for path in data_dir.rglob("*") if path.is_file())


@pytest.mark.parametrize("way", ["purge", "empty", "expire", "message"])
def test_what_is_purged_is_in_no_file_any_more(
    store: Conversations, data_dir: Path, way: str
) -> None:
    keep = store.chats.create(title="kept").id
    store.messages.add(keep, Draft("user", "stays here"))
    chat = store.chats.create(ChatOptions(system_prompt=SECRET), title=SECRET).id
    first = store.messages.add(chat, Draft("user", f"{SECRET} " * 800, thinking=SECRET))
    answer = store.answers.begin(chat).id
    for _ in range(30):
        store.answers.append(answer, f"{SECRET} says ", SECRET)
    store.answers.finish(answer, extras=Extras(recalled=SECRET))
    assert SECRET.encode() in bytes_on_disk(data_dir)
    if way == "purge":
        purged = store.trash.purge([chat])
    elif way == "message":
        store.chats.rename(chat, "renamed")
        store.chats.set_options(chat, ChatOptions())
        store.messages.delete(first.id, has_replies=True)
        purged = store.trash.purge()
        assert purged.deleted.chats == ()
    else:
        store.trash.put([chat])
        assert [each.id for each in store.trash.listed()] == [chat]
        assert store.trash.expire(1).deleted.chats == ()
        purged = store.trash.purge() if way == "empty" else store.trash.expire(-1)
    assert purged.is_wiped
    assert purged.deleted.forget == (() if way == "message" else (chat,))
    content = bytes_on_disk(data_dir).lower()
    assert SECRET.lower().encode() not in content
    # The tables of words hold stems.
    assert b"wolperting" not in content
    assert [node.text for node in store.messages.tree(keep).path()] == ["stays here"]
    assert store.search.find("stays").hits


def test_old_trash_goes_when_the_store_is_opened(data_dir: Path) -> None:
    with open_conversations(data_dir) as store:
        chat = store.chats.create().id
        store.trash.put([chat])
    with Conversations(conversations_file(data_dir), days_kept=1) as store:
        assert store.expired.deleted.forget == ()
        store.trash.take_back([chat])
        store.trash.put([chat])
    with Conversations(conversations_file(data_dir), days_kept=-1) as store:
        assert store.expired.deleted.forget == (chat,)
        with pytest.raises(ChatMissing):
            store.trash.take_back([chat])


def test_several_messages_are_deleted_together_or_not_at_all(store: Conversations) -> None:
    chat = store.chats.create().id
    first, second, third = (store.messages.add(chat, Draft("user", each)) for each in "abc")
    with pytest.raises(MessageMissing):
        store.messages.delete_each([first.id, "feedfeedfeed"])
    assert [node.text for node in store.messages.tree(chat).path()] == ["a", "b", "c"]
    store.messages.delete_each([first.id, second.id])
    assert [node.id for node in store.messages.tree(chat).path()] == [third.id]
    store.messages.restore([first.id, second.id])
    assert [node.text for node in store.messages.tree(chat).path()] == ["a", "b", "c"]


def test_a_message_deleted_twice_or_never_there_is_said_so(store: Conversations) -> None:
    chat = store.chats.create().id
    node = store.messages.add(chat, Draft("user", "x"))
    store.messages.delete(node.id)
    with pytest.raises(MessageMissing, match="deleted"):
        store.messages.delete(node.id)
    with pytest.raises(MessageMissing):
        store.messages.select("feedfeedfeed")
    with pytest.raises(ChatMissing):
        store.messages.add("feedfeedfeed", Draft("user", "x"))
    other = store.chats.create().id
    with pytest.raises(MessageMissing, match="another chat"):
        store.messages.add(other, Draft("user", "x"), node.id)


def open_files() -> set[Path]:
    """What this process has open; tests before may have left something."""
    return {path.resolve() for path in Path("/proc/self/fd").glob("*")}


def test_a_temporary_store_touches_no_disk(home: Path, tmp_path: Path) -> None:
    before = sorted(path for path in (*home.rglob("*"), *tmp_path.rglob("*")))
    opened_before = open_files()
    with temporary_conversations() as store:
        assert store.is_temporary
        chat = store.chats.create().id
        for number in range(200):
            store.messages.add(chat, Draft("user", f"secret {number} " * 100))
        assert len(store.search.find("secret", limit=500).hits) == 200
        opened = open_files() - opened_before
        assert not [path for path in opened if "sqlite" in path.name or "etilqs" in path.name]
    assert sorted(path for path in (*home.rglob("*"), *tmp_path.rglob("*"))) == before


def test_citations_name_a_chat_or_a_message(store: Conversations) -> None:
    chat = store.chats.create().id
    node = store.messages.add(chat, Draft("user", "x"))
    assert store.messages.find(store.messages.citation(chat)) == Citation(chat)
    assert store.messages.citation(node.id) == f"conv:{node.id[:8]}"
    for name in (node.id, f"conv:{node.id}", f" CONV:{node.id[:8].upper()} ", node.id[:12]):
        assert store.messages.find(name) == Citation(chat, node.id)
    twin = store.chats.create(id=node.id[:10] + "0" * 22).id
    with pytest.raises(Ambiguous, match="several") as caught:
        store.messages.find(node.id[:8])
    assert node.id in str(caught.value)
    assert twin in str(caught.value)
    for id in (node.id, twin):
        citation = store.messages.citation(id)
        assert len(citation) > len("conv:") + 8
        found = store.messages.find(citation)
        assert (found.message or found.chat) == id
    for name in ("", "conv:", "conv:zz", "12345678", "%", "'", "conv:0000"):
        with pytest.raises(ChatMissing):
            store.messages.find(name)


_ODD = st.text() | st.sampled_from(
    ["\ud800", "\udfff a \ud83d", "\x00", "\U0001f469\u200d\U0001f467"]
)
_ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@settings(max_examples=40, deadline=None)
@given(
    _ODD,
    _ODD,
    st.builds(
        Extras,
        st.lists(st.builds(ToolCall, _ODD, _ODD, _ODD), max_size=2).map(tuple),
        _ODD,
        st.none() | st.builds(Usage, st.integers(0, 2**40), st.integers(0), st.integers(0)),
        _ODD,
        st.lists(st.builds(Attachment, _ODD, _ODD), max_size=2).map(tuple),
    ),
    st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=_ZONES),
)
def test_any_message_comes_back_as_it_was(
    text: str, thinking: str, extras: Extras, created: datetime
) -> None:
    with temporary_conversations() as store:
        chat = store.chats.create(ChatOptions(sampling=text), title=text)
        draft = Draft("user", text, thinking, text, "cut", extras, created)
        store.messages.add(chat.id, draft)
        (node,) = store.messages.tree(chat.id).path()
        assert (node.text, node.thinking) == (clean(text), clean(thinking))
        assert node.created == created
        assert node.created.utcoffset() == created.utcoffset()
        assert node.extras.recalled == clean(extras.recalled)
        assert node.extras.usage == extras.usage
        assert [call.name for call in node.extras.tool_calls] == [
            clean(call.name) for call in extras.tool_calls
        ]
        assert store.chats.get(chat.id).options.sampling == clean(text)


def clean(text: str) -> str:
    """Lone surrogates are what no file can hold."""
    return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)


def test_tags_titles_and_order(store: Conversations) -> None:
    first, second, third = (store.chats.create(title=name).id for name in "abc")
    store.messages.add(first, Draft("user", "x"))
    store.chats.pin(second)
    assert [chat.title for chat in store.chats.listed()] == ["b", "a", "c"]
    tagged = store.chats.tag(third, ["#Work", " work ", "Two words", ""])
    assert tagged.tags == ("two-words", "work")
    assert [chat.id for chat in store.chats.listed(tags=["WORK"])] == [third]
    assert store.chats.listed(tags=["work", "nowhere"]) == []
    named = store.chats.create().id
    assert store.chats.get(named).name == "New chat"
    store.messages.add(named, Draft("user", "  How\ndo  I?  "))
    assert store.chats.get(named).name == "How do I?"
    assert store.chats.rename(named, "by the model", "model").title == "by the model"
    assert store.chats.rename(named, "Mine").title == "Mine"
    assert store.chats.rename(named, "again the model", "model").title == "Mine"
    assert store.chats.rename(named, "").titled_by == "nobody"


def test_threads_write_and_search_at_once(store: Conversations) -> None:
    chats = [store.chats.create().id for _ in range(4)]
    problems: list[BaseException] = []

    def work(chat: str) -> None:
        try:
            for number in range(15):
                store.messages.add(chat, Draft("user", f"word {number}"))
                store.search.find("word")
                store.chats.listed()
        except BaseException as error:
            problems.append(error)
            raise

    threads = [threading.Thread(target=work, args=(chat,)) for chat in chats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    for chat in chats:
        path = store.messages.tree(chat).path()
        assert [node.text for node in path] == [f"word {number}" for number in range(15)]


def test_times_that_jump_do_not_change_the_order(store: Conversations) -> None:
    chat = store.chats.create().id
    moments = [datetime(2026, 10, 25, 2, 30, tzinfo=UTC) - timedelta(hours=n) for n in range(3)]
    for number, moment in enumerate(moments):
        store.messages.add(chat, Draft("user", str(number), created=moment))
    path = store.messages.tree(chat).path()
    assert [node.text for node in path] == ["0", "1", "2"]
    assert [node.created for node in path] == moments
