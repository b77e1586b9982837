"""A prompt that comes from the disk keeps nobody else waiting."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.protocol import Message
from tests.engine.chats import Chat, load_kind
from tests.engine.lane_driver import Driver, load_driver

pytestmark = pytest.mark.xdist_group("engine-rows")
LONG = "The lens I settled on for the trip was the 50mm, after trying the zoom. " * 3
MORE = Message("user", "And which one did I leave at home? ")


@dataclass
class Again:
    """An engine that finds a chat of an earlier one on its disk; nothing is read before `may`."""

    driver: Driver
    chat: Chat
    may_read: threading.Event


@pytest.fixture
def again(tmp_path: Path) -> Iterator[Again]:
    settings = {"disk_tier_dir": str(tmp_path / "kept"), "disk_tier_bytes": 1 << 28}
    first = load_kind(tmp_path, "full", **settings)
    chat = Chat(first, "chat")
    chat.ask(LONG)
    assert first.backend.save(30).is_durable
    driver = load_driver(tmp_path / "model", tmp_path / "cache", **settings)
    may_read = threading.Event()
    driver.backend._tier._worker.reader.submit(may_read.wait)
    yield Again(driver, Chat(driver, "chat", [*chat.messages, MORE]), may_read)
    may_read.set()


def test_others_go_on_while_a_chat_is_read_from_the_disk(again: Again) -> None:
    driver = again.driver
    running = Chat(driver, "running", [Message("user", "Hello. ")]).begin(60)
    driver.until(lambda: driver.state(running) == "decode")
    waiting = again.chat.begin(4)
    said = len(driver.tokens[running])
    driver.step(20)
    assert len(driver.tokens[running]) >= said + 9
    assert driver.state(waiting) == "prefill"
    assert not driver.tokens[waiting]
    again.may_read.set()
    driver.run()
    usage = driver.finished(waiting).usage
    assert usage.reused_tokens > 90
    assert driver.backend.memory(0).disk_tier_restores == 1


def test_one_who_waits_for_the_disk_may_leave(again: Again) -> None:
    driver = again.driver
    waiting = again.chat.begin(4)
    driver.step(3)
    driver.cancel(waiting)
    assert driver.finished(waiting).reason == "cancelled"
    again.may_read.set()
    assert not driver.rows()
    again.chat.begin(4)
    driver.run()
    assert driver.backend.memory(0).disk_tier_restores == 1
