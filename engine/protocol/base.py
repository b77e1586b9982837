"""What all messages share, and the words they use."""

from __future__ import annotations

from typing import Literal

import msgspec

PROTOCOL_VERSION = 4

NO_REQUEST = 0
"""Id of no command: for the supervisor's pings, for the `Failed` a process ends with, and for a
`ModelLoading` or `ModelLoaded` that nobody asked for (a sleeping model wakes)."""

Role = Literal["system", "user", "assistant", "tool"]
Span = Literal["answer", "thinking"]
FinishReason = Literal["stop", "length", "cancelled"]
FailureKind = Literal["bad-request", "no-model", "load", "over-budget", "no-room", "internal"]
CacheKind = Literal["full", "rotating", "quantized", "recurrent"]
Lane = Literal["chat", "background"]
"""Whose work an answer is: background work never gets in the way of the chat."""
RowState = Literal["queued", "prefill", "decode"]


class Command(msgspec.Struct, frozen=True, tag=True):
    """Base of what the terminal process asks for."""

    id: int


class Event(msgspec.Struct, frozen=True, tag=True):
    """Base of what the engine process reports."""
