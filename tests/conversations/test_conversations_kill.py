"""A program killed at any moment loses nothing the store had acknowledged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from vault.conversations.store import Conversations, conversations_file, open_conversations
from vault.conversations.values import Draft

ROUNDS = 200 if os.environ.get("ZIB_HARDEN") == "1" else 10


def start_writer(data_dir: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.conversations.killed_writer", str(data_dir)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert writer.stdout is not None
    assert writer.stdout.readline().startswith("chat ")
    return writer


def told_by(output: str) -> list[list[str]]:
    """The lines written whole: the kill may have cut the last one short."""
    lines = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return [line for line in lines if line[0] != "chat"]


def check(store: Conversations, lines: list[list[str]]) -> None:
    """Hold what was acknowledged against what is there."""
    batches: dict[str, int] = {}
    ended: set[str] = set()
    nodes = {
        node.id: node
        for chat in store.chats.listed()
        for node in store.messages.tree(chat.id).nodes
    }
    for kind, id, *rest in lines:
        if kind == "asked":
            assert nodes[id].text == f"question {rest[0]}"
        elif kind == "begun":
            batches[id] = 0
        elif kind == "batch":
            batches[id] = int(rest[0]) + 1
        elif kind == "ended":
            ended.add(id)
    for id, count in batches.items():
        node = nodes[id]
        kept = len(node.text.split())
        assert kept in ({count} if id in ended else {count, count + 1})
        assert node.text == "".join(f"word{batch} " for batch in range(kept))
        assert node.thinking == "".join(f"thought{batch} " for batch in range(kept))
        assert (
            node.state == "complete" if id in ended else node.state in {"complete", "interrupted"}
        )
        assert node.state == "interrupted" or kept == 5
    assert all(node.state != "in-progress" for node in nodes.values())


def test_no_acknowledged_message_is_lost_and_every_partial_is_marked(data_dir: Path) -> None:
    seed = random.randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    delays = random.Random(seed)
    interrupted = 0
    for _ in range(ROUNDS):
        writer = start_writer(data_dir)
        time.sleep(delays.uniform(0, 0.12))
        os.killpg(writer.pid, signal.SIGKILL)
        told = told_by(writer.communicate()[0])
        with open_conversations(data_dir) as store:
            assert store.notices == ()
            check(store, told)
            interrupted += sum(
                node.state == "interrupted"
                for chat in store.chats.listed()
                for node in store.messages.tree(chat.id).nodes
            )
            hits = store.search.find("question", limit=10_000).hits
            asked = sum(
                node.role == "user"
                for chat in store.chats.listed()
                for node in store.messages.tree(chat.id).nodes
            )
            assert len(hits) == asked
    assert interrupted
    assert not list(conversations_file(data_dir).parent.glob("*.running"))


def test_two_programs_write_at_once_and_one_is_killed(data_dir: Path) -> None:
    first, second = start_writer(data_dir), start_writer(data_dir)
    time.sleep(0.3)
    with open_conversations(data_dir) as store:
        states = [
            node.state
            for chat in store.chats.listed()
            for node in store.messages.tree(chat.id).nodes
        ]
        assert "interrupted" not in states, "both still run"
        os.killpg(first.pid, signal.SIGKILL)
        told = told_by(first.communicate()[0])
        # The other goes on, and so does a third in this process.
        chat = store.chats.create().id
        for number in range(20):
            store.messages.add(chat, Draft("user", f"mine {number}"))
        store.answers.recover()
        os.killpg(second.pid, signal.SIGKILL)
        told += told_by(second.communicate()[0])
        store.answers.recover()
        check(store, told)
        path = store.messages.tree(chat).path()
        assert [node.text for node in path] == [f"mine {number}" for number in range(20)]


def test_an_answer_of_a_window_that_lives_is_left_alone(data_dir: Path) -> None:
    with open_conversations(data_dir) as writing:
        chat = writing.chats.create().id
        answer = writing.answers.begin(chat).id
        writing.answers.append(answer, "so far")
        with open_conversations(data_dir) as other:
            (node,) = other.messages.tree(chat).nodes
            assert (node.state, node.text) == ("in-progress", "so far")
        writing.answers.append(answer, " and on")
        assert writing.answers.finish(answer).text == "so far and on"
        left = writing.answers.begin(chat).id
    with open_conversations(data_dir) as other:
        node = other.messages.tree(chat).path()[-1]
        assert (node.id, node.state) == (left, "interrupted")
