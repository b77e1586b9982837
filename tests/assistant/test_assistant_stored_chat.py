"""A chat kept in a store as the assistant uses it, also when the store fails under it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.protocol import Message
from engine.protocol import ToolCall as EngineCall
from tui.assistant import answer_writer
from tui.assistant.chat_messages import model_messages
from tui.assistant.recall.changing import toggle_dropped, toggle_pinned
from tui.assistant.recall.record import Passage, Record, record_of
from tui.assistant.stored_chat import StoredChat
from vault.conversations.store import (
    Conversations,
    conversations_file,
    open_conversations,
    temporary_conversations,
)
from vault.conversations.values import NO_EXTRAS, Draft, Extras, MessageNode, Role, ToolCall, Usage


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Conversations]:
    with open_conversations(tmp_path) as opened:
        yield opened


async def exchange(chat: StoredChat, question: str, answer: str) -> None:
    await chat.ask(question)
    writer = await chat.answer("model")
    writer.say(answer)
    await writer.finish("complete")


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(400):
        if is_so():
            return
        await asyncio.sleep(0.025)
    pytest.fail("it never came")


def turns(chat: StoredChat) -> list[tuple[str, str]]:
    return [(turn.role, turn.content) for turn in chat.messages()]


async def test_an_exchange_is_stored_as_it_happens(store: Conversations) -> None:
    chat = await StoredChat.new(store)
    asked = await chat.ask("why?", Extras(recalled='{"a": [1, "é"]}'))
    assert store.messages.tree(chat.id).path() == (asked,)
    writer = await chat.answer("model")
    for piece in ("Be", "cause", " 漢"):
        writer.say(piece)
    writer.say("hm", "thinking")
    await until(lambda: writer.thinking == "hm")
    partial = store.messages.tree(chat.id).path()[-1]
    assert (partial.text, partial.thinking, partial.state) == ("Because 漢", "hm", "in-progress")
    writer.say(".")
    node = await writer.finish("cut", Extras(usage=Usage(generated=4)))
    assert (node.text, node.state, node.extras.usage) == ("Because 漢.", "cut", Usage(generated=4))
    assert store.messages.tree(chat.id).path() == chat.path
    assert turns(chat) == [("user", "why?"), ("assistant", "Because 漢.")]
    resumed = await chat.resume(node.id)
    resumed.say(" And on.")
    assert (await resumed.finish("complete")).text == "Because 漢. And on."


async def test_edits_answers_anew_and_forks_are_branches(store: Conversations) -> None:
    chat = await StoredChat.new(store)
    await exchange(chat, "one", "first")
    question, answer = chat.path
    again = await chat.answer("model", parent=question.id)
    again.say("second")
    other = await again.finish("complete")
    assert chat.tree.branch(other.id).ids == (answer.id, other.id)
    assert chat.messages(end=question.id) == (Message("user", "one"),)
    edited = await chat.revise(question.id, "one, edited")
    assert turns(chat) == [("user", "one, edited")]
    assert chat.tree.branch(edited.id).number == 2
    await chat.select(question.id)
    assert [node.text for node in chat.path] == ["one", "second"]
    await chat.select(answer.id)
    forked = await chat.fork(answer.id)
    await exchange(forked, "two", "third")
    assert [node.text for node in forked.path] == ["one", "first", "two", "third"]
    assert forked.chat.forked_from == answer.id
    assert [node.text for node in chat.path] == ["one", "first"]
    deleted = await chat.delete(answer.id)
    assert deleted.forget == (chat.id,)
    assert [node.text for node in chat.path] == ["one"]
    await chat.restore(deleted.messages)
    assert len(chat.path) == 2
    await chat.cut_to(question.id)
    assert [node.id for node in chat.path] == [question.id]


async def test_pins_in_quick_succession_are_all_kept_and_the_branch_stays(
    store: Conversations,
) -> None:
    passages = tuple(Passage(f"{each}.md", each, each) for each in "abc")
    chat = await StoredChat.new(store)
    asked = await chat.ask("?", Extras(recalled=Record(1, passages).to_json()))
    await chat.add(Draft("assistant", "mine"))
    other = await StoredChat.open(store, chat.id)
    await other.add(Draft("assistant", "theirs"), asked.id)
    await asyncio.gather(
        *(toggle_pinned(chat, asked.id, place) for place in (0, 1)),
        toggle_dropped(chat, asked.id, 2),
    )
    record = record_of(chat.path[0])
    assert record is not None
    assert [each.is_pinned for each in record.passages] == [True, True, False]
    assert [each.is_dropped for each in record.passages] == [False, False, True]
    assert [node.text for node in chat.path] == ["?", "mine"]
    assert [node.text for node in store.messages.tree(chat.id).path()] == ["?", "theirs"]


async def test_a_chat_whose_file_is_deleted_goes_on_and_is_saved_later(
    store: Conversations, tmp_path: Path
) -> None:
    chat = await StoredChat.new(store)
    await exchange(chat, "before", "stored")
    await chat.ask("during")
    writer = await chat.answer("model")
    writer.say("half ")
    await until(lambda: writer.text == "half ")
    file = conversations_file(tmp_path)
    for each in file.parent.glob("chats*"):
        each.unlink()
    writer.say("and half")
    await until(lambda: bool(chat.trouble))
    assert "deleted or replaced" in chat.trouble
    assert not await chat.retry_saving(), "not while it is being answered"
    await writer.finish("complete")
    await exchange(chat, "after", "in memory")
    texts = ["before", "stored", "during", "half and half", "after", "in memory"]
    assert [node.text for node in chat.path] == texts
    assert await chat.retry_saving()
    assert chat.trouble == ""
    await exchange(chat, "at last", "stored again")
    with open_conversations(tmp_path) as other:
        path = other.messages.tree(chat.id).path()
        assert [node.text for node in path] == [*texts, "at last", "stored again"]
        assert {node.state for node in path} == {"complete"}


async def test_a_disk_that_is_full_for_a_while_costs_nothing(store: Conversations) -> None:
    chat = await StoredChat.new(store)
    await exchange(chat, "before", "stored")
    connection = store.database._writer
    connection.pragma("max_page_count", connection.pragma("page_count"))
    writer = await chat.answer("model")
    for _ in range(3):
        before = writer.text
        writer.say("long " * 20_000)
        await until(lambda: writer.text != before)  # noqa: B023  it is waited for at once
    await writer.finish("complete")
    assert "disk is full" in chat.trouble
    assert chat.path[-1].text == "long " * 60_000
    assert await chat.retry_saving(), "a store opened anew has room"
    assert store.messages.tree(chat.id).path()[-1].text == "long " * 60_000
    assert len(store.messages.tree(chat.id).nodes) == 3


async def test_a_temporary_chat_has_the_same_interface() -> None:
    with temporary_conversations() as store:
        chat = await StoredChat.new(store)
        await exchange(chat, "one", "two")
        assert chat.is_temporary
        assert turns(chat) == [("user", "one"), ("assistant", "two")]


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pieces=st.lists(st.tuples(st.text(max_size=8), st.booleans(), st.booleans()), max_size=12))
async def test_what_is_stored_is_what_was_said_however_it_was_cut(
    monkeypatch: pytest.MonkeyPatch, pieces: list[tuple[str, bool, bool]]
) -> None:
    monkeypatch.setattr(answer_writer, "BATCH_SECONDS", 0.001)
    said = {"answer": "", "thinking": ""}
    with temporary_conversations() as store:
        chat = await StoredChat.new(store)
        await chat.ask("?")
        writer = await chat.answer()
        for text, is_thinking, has_pause in pieces:
            span = "thinking" if is_thinking else "answer"
            writer.say(text, "thinking" if is_thinking else "answer")
            said[span] += text
            if has_pause:
                await asyncio.sleep(0.002)
        node = await writer.finish("complete")
        assert (node.text, node.thinking) == (said["answer"], said["thinking"])
        assert store.messages.tree(chat.id).path()[-1] == node


def test_calls_results_and_what_was_recalled_are_sent() -> None:
    calls = Extras(tool_calls=(ToolCall("look", "{}", "1"),))
    path = (
        node("user", "where?", Extras(recalled="[passage]")),
        node("assistant", "", calls),
        node("tool", "there", Extras(answers_call="1")),
        node("assistant", "It is there."),
    )
    messages = model_messages(path, render=lambda each: each.extras.recalled + each.text)
    assert [(each.role, each.content) for each in messages] == [
        ("user", "[passage]where?"),
        ("assistant", ""),
        ("tool", "there"),
        ("assistant", "It is there."),
    ]
    assert messages[1].tool_calls == (EngineCall("1", "look", "{}"),)
    assert messages[2].tool_call_id == "1"


def node(role: Role, text: str, extras: Extras = NO_EXTRAS) -> MessageNode:
    return MessageNode(
        secrets.token_hex(4), "", role, text, datetime.now().astimezone(), extras=extras
    )


async def test_a_chat_deleted_for_good_elsewhere_goes_on_in_memory(
    store: Conversations, tmp_path: Path
) -> None:
    chat = await StoredChat.new(store)
    await exchange(chat, "one", "two")
    await chat.ask("three")
    writer = await chat.answer("model")
    with open_conversations(tmp_path) as other:
        other.trash.purge([chat.id])
    writer.say("four")
    await writer.finish("complete")
    assert "deleted" in chat.trouble
    assert [each.text for each in chat.path] == ["one", "two", "three", "four"]
    assert store.chats.listed() == []
    assert store.trash.owed() == (chat.id,)
    store.trash.settle([chat.id])
    assert store.trash.owed() == ()


async def test_a_store_mended_during_an_answer_lets_it_go_on(store: Conversations) -> None:
    chat = await StoredChat.new(store)
    await chat.ask("one")
    writer = await chat.answer("model")
    writer.say("half ")
    await until(lambda: writer.text == "half ")
    before = store.version
    store.reopen()
    writer.say("and half")
    assert (await writer.finish("complete")).text == "half and half"
    assert chat.trouble == ""
    assert store.version != before
