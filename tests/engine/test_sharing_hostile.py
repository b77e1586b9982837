"""Guests that send anything, read nothing or never leave: the host and the others go on."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ProtocolError
from engine.framing import MAX_FRAME_BYTES, encode_frame
from engine.protocol import (
    NO_REQUEST,
    AnyCommand,
    Cancel,
    CountTokens,
    Failed,
    ForgetCache,
    Generate,
    LoadModel,
    MemoryReport,
    Message,
    Ping,
    Plan,
    Pong,
    Shutdown,
    TextDelta,
    TokensCounted,
    UnloadModel,
)
from engine.sharing.attach import attach
from engine.sharing.guest import LONGEST_BACKLOG_BYTES, REPORT_BACKLOG_BYTES, Guest
from engine.sharing.host import MOST_GUESTS
from engine.sharing.intake import COMMANDS_A_SECOND, COMMANDS_AT_ONCE, Allowance, received
from engine.sharing.messages import Welcome
from engine.sharing.router import MOST_REQUESTS
from tests.engine.harness import talk
from tests.engine.sharing_harness import Shared, guest_of, raw_guest, sharing_host
from tests.engine.subjects import SLOW, scripted_subject

REPORT = MemoryReport(
    active_bytes=2**30,
    cache_bytes=2**20,
    peak_bytes=2**31,
    process_bytes=2**31,
    weights_bytes=2**30,
    kv=(),
    context_tokens=0,
    context_window=0,
    rows_running=0,
    rows_waiting=0,
    prompt_cache_entries=0,
    prompt_cache_bytes=0,
    prompt_cache_hits=0,
    disk_tier_bytes=0,
    prefill_tps=0.0,
    decode_tps=0.0,
)
HALF = encode_frame(CountTokens(1, ("half",)))[:-3]
QUESTION = Generate(1, talk(SLOW))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shared]:
    """One host for all of them."""
    subject = scripted_subject(tmp_path_factory.mktemp("scripted"))
    async with sharing_host(subject.launch, subject.model) as opened:
        yield opened


async def is_well(shared: Shared) -> bool:
    """Whether host and guests still get their answers."""
    async with guest_of(shared.place.folder) as guest:
        both = await asyncio.gather(guest.say("hello"), shared.watched.say("hello"))
    return [finished.reason for finished in both] == ["stop", "stop"]


HOSTILE = {
    "garbage": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "zero length": struct.pack(">I", 0),
    "oversize": struct.pack(">I", MAX_FRAME_BYTES + 1),
    "not msgpack": struct.pack(">I", 4) + b"\xc1\xc1\xc1\xc1",
    "an event": encode_frame(TextDelta(1, "hello")),
    "unknown command": struct.pack(">I", 7) + b"\x81\xa4type\x01",
    "no id": encode_frame(CountTokens(NO_REQUEST, ("a",))),
    "an id twice": encode_frame(QUESTION) + encode_frame(QUESTION),
    "half a frame": HALF,
    "half an oversize one": struct.pack(">I", MAX_FRAME_BYTES) + b"x" * 100_000,
    "a flood": encode_frame(Ping(NO_REQUEST)) * (COMMANDS_AT_ONCE + 1000),
    "shutdown": encode_frame(Shutdown(5)),
}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_hostile_guest_is_sent_away(
    shared: Shared, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sharing.intake.FRAME_SECONDS", 0.3)
    async with raw_guest(shared.place.folder) as guest:
        guest.writer.write(sent)
        assert await guest.is_sent_away()
        assert await is_well(shared)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_dripping_frame_has_no_more_time_than_a_stuck_one(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sharing.intake.FRAME_SECONDS", 0.3)
    async with raw_guest(shared.place.folder) as guest:
        gone = asyncio.create_task(guest.is_sent_away(5))
        for byte in HALF:
            if gone.done():
                break
            guest.writer.write(bytes([byte]))
            await asyncio.sleep(0.05)
        assert gone.done()
        assert await gone


@pytest.mark.asyncio(loop_scope="module")
async def test_whole_frames_in_pieces_are_welcome(shared: Shared) -> None:
    async with raw_guest(shared.place.folder) as guest:
        for byte in encode_frame(CountTokens(7, ("a b c",))):
            guest.writer.write(bytes([byte]))
            await asyncio.sleep(0)
        counted = await guest.hear(TokensCounted, 7)
        assert counted == TokensCounted(7, (3,))


@pytest.mark.asyncio(loop_scope="module")
async def test_every_command_has_its_answer(shared: Shared) -> None:
    async with raw_guest(shared.place.folder) as guest:
        assert isinstance(await guest.hear(Welcome), Welcome)
        guest.send(Cancel(99), Ping(NO_REQUEST), Ping(3), ForgetCache(4, "nothing"))
        assert await guest.hear(Pong, NO_REQUEST)
        assert await guest.hear(Pong, 3)
        guest.send(*(Generate(id, talk(SLOW)) for id in range(10, 11 + MOST_REQUESTS)))
        refused = await guest.hear(Failed, 10 + MOST_REQUESTS)
        assert isinstance(refused, Failed)
        assert "wait for answers" in refused.message
    assert await is_well(shared)


@pytest.mark.asyncio(loop_scope="module")
async def test_too_many_guests_are_turned_away(shared: Shared) -> None:
    folder = shared.place.folder
    async with AsyncExitStack() as stack:
        for _ in range(MOST_GUESTS):
            guest = await stack.enter_async_context(raw_guest(folder))
            await guest.hear(Welcome)
        assert await attach(folder) is None
        assert (await shared.watched.say("hello")).reason == "stop"
    await asyncio.sleep(0.1)
    assert await is_well(shared)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_guest_that_reads_nothing_blocks_nobody(shared: Shared) -> None:
    async with raw_guest(shared.place.folder) as deaf:
        deaf.send(*(Plan(id, "") for id in range(1, 20)))
        started = time.monotonic()
        assert await is_well(shared)
        assert time.monotonic() - started < 5


async def test_the_backlog_of_a_slow_guest_is_bounded() -> None:
    """It loses reports first, and its connection when even without them it is too slow."""
    ours, theirs = socket.socketpair()
    with theirs:
        _, writer = await asyncio.open_connection(sock=ours)
        guest = Guest(1, writer.transport)
        for _ in range(5000):
            guest.send(REPORT)
        assert 0 < writer.transport.get_write_buffer_size() <= REPORT_BACKLOG_BYTES + 4096
        assert not writer.transport.is_closing()
        text = TextDelta(1, "x" * 1000)
        largest = 0
        while not writer.transport.is_closing():
            guest.send(text)
            largest = max(largest, writer.transport.get_write_buffer_size())
        assert LONGEST_BACKLOG_BYTES < largest <= LONGEST_BACKLOG_BYTES + 4096
        guest.send(text)


def test_commands_may_come_in_a_rush_but_not_in_a_stream() -> None:
    now = [0.0]
    allowance = Allowance(lambda: now[0])
    for _ in range(COMMANDS_AT_ONCE):
        allowance.spend()
    with pytest.raises(ProtocolError):
        allowance.spend()
    for _ in range(3000):
        now[0] += 1.01 / COMMANDS_A_SECOND
        allowance.spend()
    now[0] += 3600
    for _ in range(COMMANDS_AT_ONCE):
        allowance.spend()
    with pytest.raises(ProtocolError):
        allowance.spend()


ids, texts = st.integers(0, 2**63), st.text(max_size=40)
messages = st.builds(Message, st.just("user"), texts)
commands = st.one_of(
    st.builds(Cancel, ids),
    st.builds(CountTokens, ids, st.tuples(texts)),
    st.builds(Generate, ids, st.tuples(messages)),
    st.builds(LoadModel, ids, texts),
    st.builds(UnloadModel, ids),
)


async def take(chunks: list[bytes]) -> tuple[list[AnyCommand], str]:
    """What a host takes from these bytes, and how that ends."""
    reader = asyncio.StreamReader()
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    taken = []
    try:
        async for one in received(reader):
            taken.append(one.command)
    except ProtocolError as error:
        return taken, str(error)
    return taken, ""


@given(st.lists(commands, max_size=8), st.binary(max_size=200), st.integers(0, 2000))
@settings(max_examples=80, deadline=None)
def test_good_commands_are_taken_whatever_follows(
    sent: list[AnyCommand], garbage: bytes, cut: int
) -> None:
    data = b"".join(encode_frame(command) for command in sent) + garbage
    taken, _ = asyncio.run(take([data[:cut], data[cut:]]))
    assert taken[: len(sent)] == sent


@given(st.lists(st.binary(max_size=300), max_size=6))
@settings(max_examples=80, deadline=None)
def test_any_bytes_end_in_commands_or_a_protocol_error(chunks: list[bytes]) -> None:
    asyncio.run(take(chunks))
