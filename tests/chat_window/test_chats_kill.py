"""`kill -9` of the window itself: what was asked is there, what was said is there and marked."""

from __future__ import annotations

import asyncio
import os
import random
import re
from pathlib import Path

from engine.script import Reply
from tests.chat_window.real_windows import Home, Window, make_home
from vault.conversations.store import open_conversations
from vault.conversations.values import MessageNode

ROUNDS = 200 if os.environ.get("ZIB_HARDEN") == "1" else 3
LONGEST_SECONDS = 2.0
# A quarter of a second gathers; a busy machine takes its time for the rest.
WRITTEN_WITHIN_SECONDS = 2.0
STORY = "".join(f"word{number} " for number in range(3000))
PACE = 0.01


def told(messages: Path) -> list[MessageNode]:
    """Everything the store has, chats and messages in order; opening it marks what was cut off."""
    with open_conversations(messages) as store:
        assert store.notices == ()
        return [
            node
            for chat in reversed(store.chats.listed())
            for node in store.messages.tree(chat.id).nodes
        ]


async def test_a_killed_window_loses_nothing_it_had_taken(tmp_path: Path) -> None:
    home = make_home(tmp_path, [Reply("story", STORY, seconds_per_token=PACE)])
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")  # noqa: T201  pytest shows it when a round fails
    moments = random.Random(seed)
    for number in range(ROUNDS):
        seen = await killed_while_it_answers(home, number, moments.uniform(0, LONGEST_SECONDS))
        nodes = told(home.data_dir)
        assert all(node.state != "in-progress" for node in nodes)
        (asked,) = (node for node in nodes if node.text == f"story {number:03}")
        (answer,) = (node for node in nodes if node.parent == asked.id)
        assert answer.state == "interrupted"
        assert STORY.startswith(answer.text)
        assert len(answer.text.split()) > seen


async def killed_while_it_answers(home: Home, number: int, seconds: float) -> int:
    """The last word that had been on the screen for a while."""
    window = await home.open()
    try:
        window.type(f"story {number:03}")
        await window.see(lambda text: "word1 " in text, "the answer")
        shown = [(asyncio.get_running_loop().time(), 0)]
        ends = shown[0][0] + seconds
        while asyncio.get_running_loop().time() < ends:
            await asyncio.sleep(0.2)
            words = [int(each) for each in re.findall(r"\bword(\d+)\b ", window.text)]
            shown.append((asyncio.get_running_loop().time(), max(words, default=0)))
        killed = asyncio.get_running_loop().time()
        await window.kill()
    finally:
        await window.end()
    return max(
        word for when, word in shown if when <= max(killed - WRITTEN_WITHIN_SECONDS, ends - seconds)
    )


async def test_two_windows_share_a_chat_and_one_is_killed(tmp_path: Path) -> None:
    replies = [Reply("story", STORY, seconds_per_token=PACE), Reply("short", "a short answer")]
    home = make_home(tmp_path, replies)
    first = await home.open()
    second: Window | None = None
    try:
        first.type("short first question")
        await first.see(lambda text: "a short answer" in text, "its answer")
        second = await home.open()
        second.type("/resume")
        await second.see(lambda text: "a short answer" in text, "the chat in the other window")
        first.type("story of the first")
        await first.see(lambda text: "word9 " in text, "the long answer")
        second.type("short second question")
        await second.see(lambda text: "another window" in " ".join(text.split()), "that it is told")
        await first.kill()
        second.type("/new")
        await second.see(lambda text: "short second" not in text, "a new chat")
        second.type("short third question")
        await second.see(lambda text: "a short answer" in text, "an answer after the kill")
    finally:
        await first.end()
        if second is not None:
            await second.end()
    nodes = {node.text: node for node in told(home.data_dir) if node.role == "user"}
    assert nodes.keys() == {
        "short first question",
        "story of the first",
        "short second question",
        "short third question",
    }
    assert nodes["story of the first"].parent == nodes["short second question"].parent
    (cut,) = (node for node in told(home.data_dir) if node.parent == nodes["story of the first"].id)
    assert (cut.state, cut.text[:12]) == ("interrupted", STORY[:12])
