"""Frames survive however they arrive, and garbage is one clear error."""

from __future__ import annotations

import contextlib
import struct
import types
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ProtocolError
from engine.framing import (
    MAX_FRAME_BYTES,
    FrameSplitter,
    decode_command,
    decode_event,
    encode_frame,
)
from engine.protocol import (
    AnyCommand,
    AnyEvent,
    CountTokens,
    Generate,
    Message,
    Sampling,
    TextDelta,
)

SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=40),
    bool: st.booleans(),
    int: st.integers(-(2**63), 2**64 - 1),
    float: st.floats(allow_nan=False),
    type(None): st.none(),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type as the protocol uses them."""
    arguments = get_args(kind)
    if kind in SIMPLE:
        return SIMPLE[kind]
    if isinstance(kind, types.UnionType):
        return st.one_of(*(values_of(part) for part in arguments))
    if getattr(kind, "__origin__", None) is tuple:
        return st.lists(values_of(arguments[0]), max_size=3).map(tuple)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return messages_of(kind)
    return st.sampled_from(arguments)


def messages_of(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Any instance of a message type."""
    fields = {field.name: values_of(field.type) for field in msgspec.structs.fields(kind)}
    return st.builds(kind, **fields)


COMMANDS = st.one_of(*(messages_of(kind) for kind in get_args(AnyCommand)))
EVENTS = st.one_of(*(messages_of(kind) for kind in get_args(AnyEvent)))


def bodies(data: bytes) -> list[bytes]:
    return list(FrameSplitter().feed(data))


@given(COMMANDS)
def test_commands_come_back_equal(command: AnyCommand) -> None:
    (body,) = bodies(encode_frame(command))
    assert decode_command(body) == command


@given(EVENTS)
def test_events_come_back_equal(event: AnyEvent) -> None:
    (body,) = bodies(encode_frame(event))
    assert decode_event(body) == event


@given(st.lists(EVENTS, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_frames_cut_anywhere_arrive_whole(events: list[AnyEvent], random: Any) -> None:
    stream = b"".join(map(encode_frame, events))
    splitter, arrived, place = FrameSplitter(), [], 0
    while place < len(stream):
        step = random.randint(1, 9)
        arrived += [decode_event(body) for body in splitter.feed(stream[place : place + step])]
        place += step
    assert arrived == events


def test_a_frame_cut_at_every_byte_arrives_once_and_only_when_whole() -> None:
    frame = encode_frame(TextDelta(7, "né 🙂"))
    for cut in range(len(frame)):
        splitter = FrameSplitter()
        assert list(splitter.feed(frame[:cut])) == []
        assert [decode_event(body) for body in splitter.feed(frame[cut:])] == [
            TextDelta(7, "né 🙂")
        ]


@pytest.mark.parametrize("length", [0, MAX_FRAME_BYTES + 1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_bad_length_is_an_error_at_once(length: int) -> None:
    with pytest.raises(ProtocolError, match="out of step"):
        bodies(struct.pack(">I", length))


def test_the_largest_frame_passes_and_one_byte_more_is_refused_before_sending() -> None:
    room = MAX_FRAME_BYTES - len(encode_frame(TextDelta(1, "x" * 70_000))) + 70_000 + 4
    frame = encode_frame(TextDelta(1, "x" * room))
    assert len(frame) == MAX_FRAME_BYTES + 4
    assert len(bodies(frame)) == 1
    with pytest.raises(ProtocolError, match="send less"):
        encode_frame(TextDelta(1, "x" * (room + 1)))


GARBAGE = {
    "empty map": msgspec.msgpack.encode({}),
    "unknown tag": msgspec.msgpack.encode({"type": "Obey", "id": 1}),
    "tag of another kind": msgspec.msgpack.encode({"type": 7}),
    "event sent as command": msgspec.msgpack.encode({"type": "Pong", "id": 1}),
    "missing field": msgspec.msgpack.encode({"type": "CountTokens", "id": 1}),
    "wrong field": msgspec.msgpack.encode({"type": "Ping", "id": "one"}),
    "number too large": msgspec.msgpack.encode({"type": "Ping", "id": 1.5}),
    "not MessagePack": b"\xc1\xc1\xc1",
    "cut": msgspec.msgpack.encode({"type": "Ping", "id": 1})[:-1],
    "more behind it": msgspec.msgpack.encode({"type": "Ping", "id": 1}) + b"\x00",
    "bad UTF-8": b"\x82\xa4type\xabCountTokens\xa5texts\x91\xa2\xff\xfe",
    "lone surrogate": b"\x82\xa4type\xa9LoadModel\xa4path\xa3\xed\xa0\x80",
    "deep nesting": b"\x82\xa4type\xa4Ping\xa1x" + b"\x91" * 100_000,
    "deep nesting as id": b"\x82\xa4type\xa4Ping\xa2id" + b"\x91" * 100_000,
    "huge array": b"\xdd\xff\xff\xff\xff",
    "text": b"Traceback (most recent call last)",
}


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_one_clear_error(body: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode_command(body)
    with pytest.raises(ProtocolError):
        decode_event(body)


@given(st.binary(max_size=200))
def test_no_bytes_do_worse_than_a_protocol_error(body: bytes) -> None:
    for decode in (decode_command, decode_event):
        with contextlib.suppress(ProtocolError):
            decode(body)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udc80", "\ufffd"),
        ("\ud83d\ude42", "🙂"),
        ("\ude42\ud83d", "\ufffd\ufffd"),
    ],
)
def test_half_characters_from_the_terminal_are_replaced(typed: str, sent: str) -> None:
    command = Generate(
        1, (Message("user", typed),), typed, Sampling(temperature=0.5, seed=3), 4, (typed,), True
    )
    (body,) = bodies(encode_frame(command))
    assert decode_command(body) == Generate(
        1, (Message("user", sent),), sent, Sampling(temperature=0.5, seed=3), 4, (sent,), True
    )


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_no_text_at_all_breaks_the_sender(text: str) -> None:
    (body,) = bodies(encode_frame(CountTokens(1, (text, "kept"))))
    decoded = decode_command(body)
    assert isinstance(decoded, CountTokens)
    is_whole = not any("\ud800" <= character <= "\udfff" for character in text)
    assert decoded.texts[1] == "kept"
    assert (decoded.texts[0] == text) == is_whole


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_a_number_that_does_not_fit_is_refused_before_sending(number: int) -> None:
    with pytest.raises(ProtocolError, match="number"):
        encode_frame(Generate(1, (), sampling=Sampling(seed=number)))
