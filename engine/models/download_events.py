"""What the downloading child tells its parent: one JSON document a line."""

from __future__ import annotations

import msgspec


class Waiting(msgspec.Struct, frozen=True, tag=True):
    """Another process downloads the same repository."""


class Progress(msgspec.Struct, frozen=True, tag=True):
    """Bytes of all files together; what was there before counts as done."""

    done_bytes: int
    total_bytes: int


class Downloaded(msgspec.Struct, frozen=True, tag=True):
    """The last line of a success."""

    commit: str


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The last line of a failure; a sentence for the user."""

    sentence: str


Event = Waiting | Progress | Downloaded | Refused


def encode(event: Event) -> str:
    """One line, without its end."""
    if isinstance(event, Refused):
        # A path may hold bytes that are no text.
        event = Refused(event.sentence.encode(errors="replace").decode())
    return msgspec.json.encode(event).decode()


def decode(line: str) -> Event | None:
    """The event of a line, or None when a library printed it."""
    try:
        return msgspec.json.decode(line, type=Event)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
