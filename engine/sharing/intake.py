"""Reads one guest's commands and trusts none of its bytes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from engine.errors import ProtocolError
from engine.framing import HEADER_BYTES, FrameSplitter, decode_command
from engine.protocol import AnyCommand

FRAME_SECONDS = 10.0
COMMANDS_AT_ONCE = 2000
COMMANDS_A_SECOND = 500.0
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Received:
    """A command and the bytes it took."""

    command: AnyCommand
    size: int


class Allowance:
    """So many commands at once, and so many a second in the long run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left = float(COMMANDS_AT_ONCE)
        self._at = clock()

    def spend(self) -> None:
        """Count one command. Raises ProtocolError when they come too fast."""
        now = self._clock()
        earned = (now - self._at) * COMMANDS_A_SECOND
        self._left, self._at = min(self._left + earned, COMMANDS_AT_ONCE), now
        if self._left < 1:
            raise ProtocolError("Commands come too fast.")
        self._left -= 1


async def received(reader: asyncio.StreamReader) -> AsyncGenerator[Received, None]:
    """Yield commands until the guest closes.

    Raises ProtocolError for garbage and floods, TimeoutError for a frame that is never finished,
    OSError.
    """
    splitter, allowance = FrameSplitter(), Allowance()
    unfinished, deadline = 0, None
    while True:
        async with asyncio.timeout_at(deadline):
            data = await reader.read(_CHUNK)
        if not data:
            return
        unfinished += len(data)
        for body in splitter.feed(data):
            unfinished -= HEADER_BYTES + len(body)
            deadline = None
            allowance.spend()
            yield Received(decode_command(body), len(body))
        if unfinished and deadline is None:
            deadline = asyncio.get_running_loop().time() + FRAME_SECONDS
