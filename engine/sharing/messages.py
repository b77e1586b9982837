"""What a host says to its guests besides the engine's own events.

A guest sends the engine's commands as they are. Ids are each guest's own; events about the model
that this guest did not ask for carry NO_REQUEST, and so does the `Failed` of somebody else's load.
"""

from __future__ import annotations

import msgspec

from engine.framing import decode_body
from engine.protocol import AnyEvent, Event


class EngineLost(Event, frozen=True):
    """The engine process is gone, and with it every request without its last event.

    It comes back after `delay` seconds; None means with the next `LoadModel`.
    """

    message: str
    delay: float | None


class Welcome(Event, frozen=True):
    """The first frame of a connection; `state` replays what a guest must know."""

    protocol_version: int
    state: tuple[AnyEvent | EngineLost, ...]


HostEvent = AnyEvent | EngineLost | Welcome

_decoder: msgspec.msgpack.Decoder[HostEvent] = msgspec.msgpack.Decoder(HostEvent)


def decode_host_event(body: bytes) -> HostEvent:
    """The event in one frame's body. Raises ProtocolError."""
    return decode_body(_decoder, body, "The app that shares its engine sent something unreadable")
