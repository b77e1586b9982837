"""Frames on the engine channel: a 4-byte big-endian length, then one msgpack-encoded message."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from engine.errors import ProtocolError
from engine.protocol import AnyCommand, AnyEvent, Command, Event

MAX_FRAME_BYTES = 8 * 1024 * 1024
_HEADER = struct.Struct(">I")
HEADER_BYTES = _HEADER.size
_T = TypeVar("_T")

_encoder = msgspec.msgpack.Encoder()
_command_decoder: msgspec.msgpack.Decoder[AnyCommand] = msgspec.msgpack.Decoder(AnyCommand)
_event_decoder: msgspec.msgpack.Decoder[AnyEvent] = msgspec.msgpack.Decoder(AnyEvent)


def encode_frame(message: Command | Event) -> bytes:
    """One frame, header included; half characters become U+FFFD.

    Raises ProtocolError above MAX_FRAME_BYTES and for whole numbers above 64 bits.
    """
    try:
        body = _encoder.encode(message)
    except UnicodeEncodeError:
        body = _encoder.encode(_mend(msgspec.to_builtins(message)))
    except OverflowError as error:
        raise ProtocolError(f"A number is too large for the engine channel: {error}.") from error
    if len(body) > MAX_FRAME_BYTES:
        raise ProtocolError(
            f"A message of {len(body):,} bytes is over the engine channel's limit of "
            f"{MAX_FRAME_BYTES:,}: send less text at once."
        )
    return _HEADER.pack(len(body)) + body


def decode_command(body: bytes) -> AnyCommand:
    """The command in one frame's body. Raises ProtocolError."""
    return decode_body(_command_decoder, body, "The engine was sent something it does not know")


def decode_event(body: bytes) -> AnyEvent:
    """The event in one frame's body. Raises ProtocolError."""
    return decode_body(_event_decoder, body, "The engine sent something unreadable")


def decode_body(decoder: msgspec.msgpack.Decoder[_T], body: bytes, complaint: str) -> _T:
    """The message in one frame's body. Raises ProtocolError that begins with the complaint."""
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ProtocolError(f"{complaint}: {error}") from error


def _mend(value: Any) -> Any:
    """The same plain values with every lone surrogate replaced; MessagePack is strict UTF-8."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_mend(key): _mend(item) for key, item in value.items()}
        case list() | tuple():
            return [_mend(item) for item in value]
        case _:
            return value


class FrameSplitter:
    """Cuts a byte stream into frame bodies, however the bytes arrive."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield each body that is complete after `data`. Raises ProtocolError on a bad length."""
        self._pending += data
        while len(self._pending) >= _HEADER.size:
            (length,) = _HEADER.unpack_from(self._pending)
            if not 0 < length <= MAX_FRAME_BYTES:
                raise ProtocolError(f"The engine channel is out of step (frame of {length} bytes).")
            end = _HEADER.size + length
            if len(self._pending) < end:
                return
            body = bytes(self._pending[_HEADER.size : end])
            del self._pending[:end]
            yield body
