"""Random use of a store against a plain model of it in memory, reopened at random."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from vault.conversations.errors import ChatMissing, MessageMissing
from vault.conversations.exporting import documents
from vault.conversations.store import Conversations, open_conversations, temporary_conversations
from vault.conversations.values import Draft

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00") | st.sampled_from("\x00\n漢字é"),
    max_size=12,
)


@dataclass
class Node:
    parent: str
    role: str
    text: str
    used: int
    state: str = "complete"
    is_deleted: bool = False


@dataclass
class Talk:
    nodes: dict[str, Node] = field(default_factory=dict)
    leaf: str = ""
    clock: int = 0
    title: str = ""
    is_pinned: bool = False
    is_deleted: bool = False

    def above(self, id: str) -> str:
        while id and self.nodes[id].is_deleted:
            id = self.nodes[id].parent
        return id

    def children(self, id: str) -> list[str]:
        return [
            each
            for each, node in self.nodes.items()
            if not node.is_deleted and self.above(node.parent) == id
        ]

    def below(self, id: str) -> list[str]:
        found = [id]
        for each in found:
            found += self.children(each)
        return found

    def newest_leaf(self, id: str) -> str:
        leaves = [each for each in self.below(id) if each and not self.children(each)]
        return max(leaves, key=lambda each: self.nodes[each].used, default="")

    def end(self) -> str:
        return self.above(self.leaf) or self.newest_leaf("")

    def path(self) -> list[str]:
        path, id = [], self.end()
        while id:
            path.append(id)
            id = self.above(self.nodes[id].parent)
        return path[::-1]

    def show(self, id: str) -> None:
        self.leaf = id
        self.clock += 1
        if id:
            self.nodes[id].used = self.clock

    def shown(self) -> list[str]:
        return [id for id, node in self.nodes.items() if not node.is_deleted]


class StoreMachine(RuleBasedStateMachine):
    is_temporary = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="zib-chats-"))
        self.store = self.opened()
        self.talks: dict[str, Talk] = {}
        self.open_answers: dict[str, str] = {}

    def opened(self) -> Conversations:
        return temporary_conversations() if self.is_temporary else open_conversations(self.folder)

    @initialize(shape=st.lists(st.integers(0, 100), min_size=3, max_size=10))
    def first_chat(self, shape: list[int]) -> None:
        """A tree: each message replies to one of those before it."""
        self.new_chat()
        (chat,) = self.talks
        for number, place in enumerate(shape):
            parents = ["", *self.talks[chat].nodes]
            self.say(chat, Draft("user", str(number)), parents[place % len(parents)])

    @rule()
    def new_chat(self) -> None:
        self.talks[self.store.chats.create().id] = Talk()

    def say(self, chat: str, draft: Draft, parent: str | None) -> None:
        talk = self.talks[chat]
        above = talk.end() if parent is None else parent
        node = self.store.messages.add(chat, draft, parent)
        talk.nodes[node.id] = Node(above, draft.role, draft.text, 0)
        talk.show(node.id)

    def pick_talk(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(list(self.talks)), label="chat")

    def pick_message(self, data: st.DataObject) -> tuple[str, str]:
        pairs = [(c, m) for c, talk in self.talks.items() for m in talk.shown()]
        return data.draw(st.sampled_from(pairs), label="message")

    has_chats = precondition(lambda self: bool(self.talks))
    has_messages = precondition(lambda self: any(talk.shown() for talk in self.talks.values()))

    @has_chats
    @rule(data=st.data(), text=TEXTS, role=st.sampled_from(["user", "assistant"]))
    def add(self, data: st.DataObject, text: str, role: Any) -> None:
        chat = self.pick_talk(data)
        talk = self.talks[chat]
        parent = data.draw(st.sampled_from([None, "", *talk.shown()]))
        self.say(chat, Draft(role, text), parent)

    @has_messages
    @rule(data=st.data(), text=TEXTS)
    def edit(self, data: st.DataObject, text: str) -> None:
        chat, message = self.pick_message(data)
        talk = self.talks[chat]
        node = self.store.messages.revise(message, Draft("user", text))
        talk.nodes[node.id] = Node(talk.above(talk.nodes[message].parent), "user", text, 0)
        talk.show(node.id)

    @has_chats
    @rule(data=st.data())
    def begin_answer(self, data: st.DataObject) -> None:
        chat = self.pick_talk(data)
        talk = self.talks[chat]
        node = self.store.answers.begin(chat)
        talk.nodes[node.id] = Node(talk.end(), "assistant", "", 0, "in-progress")
        talk.show(node.id)
        self.open_answers[node.id] = chat

    @precondition(lambda self: bool(self.open_answers))
    @rule(data=st.data(), pieces=st.lists(TEXTS, min_size=1, max_size=3))
    def stream(self, data: st.DataObject, pieces: list[str]) -> None:
        message = data.draw(st.sampled_from(list(self.open_answers)))
        for piece in pieces:
            self.store.answers.append(message, piece)
            self.talks[self.open_answers[message]].nodes[message].text += piece

    @precondition(lambda self: bool(self.open_answers))
    @rule(data=st.data(), state=st.sampled_from(["complete", "stopped", "cut", "failed"]))
    def finish(self, data: st.DataObject, state: Any) -> None:
        message = data.draw(st.sampled_from(list(self.open_answers)))
        self.store.answers.finish(message, state)
        self.talks[self.open_answers.pop(message)].nodes[message].state = state
        with pytest.raises(MessageMissing):
            self.store.answers.append(message, "late")

    @has_messages
    @rule(data=st.data())
    def resume(self, data: st.DataObject) -> None:
        chat, message = self.pick_message(data)
        if message not in self.open_answers:
            self.store.answers.resume(message)
            self.talks[chat].nodes[message].state = "in-progress"
            self.open_answers[message] = chat

    @has_messages
    @rule(data=st.data(), is_cut=st.booleans())
    def select(self, data: st.DataObject, is_cut: bool) -> None:
        chat, message = self.pick_message(data)
        talk = self.talks[chat]
        if is_cut:
            self.store.messages.cut_to(message)
            talk.show(message)
        else:
            self.store.messages.select(message)
            talk.show(talk.newest_leaf(message))

    @has_messages
    @rule(data=st.data(), has_replies=st.booleans())
    def delete_message(self, data: st.DataObject, has_replies: bool) -> None:
        chat, message = self.pick_message(data)
        talk = self.talks[chat]
        expected = talk.below(message) if has_replies else [message]
        deleted = self.store.messages.delete(message, has_replies)
        assert set(deleted.messages) == set(expected)
        assert deleted.forget == (chat,)
        for id in expected:
            talk.nodes[id].is_deleted = True
        if data.draw(st.booleans(), label="undo"):
            self.store.messages.restore(deleted.messages)
            for id in expected:
                talk.nodes[id].is_deleted = False

    @has_messages
    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        chat, message = self.pick_message(data)
        talk = self.talks[chat]
        path, id = [], message
        while id:
            path.append(id)
            id = talk.above(talk.nodes[id].parent)
        forked = self.store.chats.fork(chat, message)
        assert forked.forked_from == message
        copy = Talk(title=talk.title)
        parent = ""
        copied = self.store.messages.tree(forked.id).nodes
        for number, (old, new) in enumerate(zip(path[::-1], copied, strict=True), 1):
            node = talk.nodes[old]
            state = "interrupted" if node.state == "in-progress" else node.state
            copy.nodes[new.id] = Node(parent, node.role, node.text, number, state)
            parent = new.id
        copy.leaf, copy.clock = parent, len(path)
        self.talks[forked.id] = copy

    @has_chats
    @rule(data=st.data(), title=TEXTS)
    def rename(self, data: st.DataObject, title: str) -> None:
        chat = self.pick_talk(data)
        self.store.chats.rename(chat, title)
        self.talks[chat].title = " ".join(title.split())

    @has_chats
    @rule(data=st.data(), is_pinned=st.booleans())
    def pin(self, data: st.DataObject, is_pinned: bool) -> None:
        chat = self.pick_talk(data)
        self.store.chats.pin(chat, is_pinned)
        self.talks[chat].is_pinned = is_pinned

    @has_chats
    @rule(data=st.data())
    def trash_or_take_back(self, data: st.DataObject) -> None:
        chat = self.pick_talk(data)
        talk = self.talks[chat]
        talk.is_deleted = not talk.is_deleted
        if talk.is_deleted:
            assert self.store.trash.put([chat]).forget == (chat,)
        else:
            self.store.trash.take_back([chat])

    @rule()
    def empty_trash(self) -> None:
        gone = {chat for chat, talk in self.talks.items() if talk.is_deleted}
        purged = self.store.trash.purge()
        assert set(purged.deleted.forget) == gone
        for chat in gone:
            del self.talks[chat]
            with pytest.raises(ChatMissing):
                self.store.chats.get(chat)
        for talk in self.talks.values():
            for id in [id for id, node in talk.nodes.items() if node.is_deleted]:
                dead = talk.nodes.pop(id)
                for node in talk.nodes.values():
                    node.parent = dead.parent if node.parent == id else node.parent
                talk.leaf = dead.parent if talk.leaf == id else talk.leaf
        known = {id for talk in self.talks.values() for id in talk.nodes}
        self.open_answers = {m: c for m, c in self.open_answers.items() if m in known}

    @rule(is_clean=st.booleans())
    def reopen(self, is_clean: bool) -> None:
        if self.is_temporary:
            return
        if is_clean:
            self.store.close()
        else:
            # As if the process had died: its lock goes, its rows stay.
            self.store._let_go()
        self.store = self.opened()
        assert self.store.notices == ()
        for message, chat in self.open_answers.items():
            self.talks[chat].nodes[message].state = "interrupted"
        self.open_answers.clear()

    @invariant()
    def is_as_in_the_model(self) -> None:
        listed = {chat.id: chat for chat in self.store.chats.listed()}
        assert set(listed) == {id for id, talk in self.talks.items() if not talk.is_deleted}
        pins = [chat.is_pinned for chat in self.store.chats.listed()]
        assert pins == sorted(pins, reverse=True)
        for id, talk in self.talks.items():
            chat = self.store.chats.get(id)
            assert (chat.title, chat.is_pinned) == (talk.title, talk.is_pinned)
            tree = self.store.messages.tree(id)
            assert [node.id for node in tree.path()] == talk.path()
            for node in tree.nodes:
                mine = talk.nodes[node.id]
                assert (node.role, node.text, node.state) == (mine.role, mine.text, mine.state)
                assert tree.parent(node.id) == talk.above(mine.parent)
                assert tree.branch(node.id).ids == tuple(talk.children(talk.above(mine.parent)))
            assert len(tree.nodes) == len(talk.shown())

    def teardown(self) -> None:
        kept = sorted(documents(self.store), key=lambda chat: chat.id)
        with temporary_conversations() as copy:
            assert not copy.importer.take(kept).skipped
            assert sorted(documents(copy), key=lambda chat: chat.id) == kept
            again = copy.importer.take(kept)
            assert (again.chats_unchanged, again.messages_added) == (len(kept), 0)
        self.store.close()
        shutil.rmtree(self.folder)


class TemporaryMachine(StoreMachine):
    is_temporary = True


_SETTINGS = settings(
    max_examples=300 if os.environ.get("ZIB_HARDEN") == "1" else 12,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestStore = StoreMachine.TestCase
TestStore.settings = _SETTINGS
TestTemporary = TemporaryMachine.TestCase
TestTemporary.settings = _SETTINGS
