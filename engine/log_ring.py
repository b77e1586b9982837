"""The last lines an engine process printed."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque

LOG_LINES = 400
_LONGEST_LINE = 4096


class LogRing(asyncio.Protocol):
    """Takes whatever arrives, so that the pipe never fills up, and keeps the end of it."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LOG_LINES)
        self._rest = b""
        self._closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        """Cut into lines; of one that never ends, as progress bars draw it, the end stays."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._lines.extend(line[-_LONGEST_LINE:].decode("utf-8", "replace") for line in lines)
        self._rest = rest[-_LONGEST_LINE:]

    def connection_lost(self, exc: Exception | None) -> None:
        """The process and whoever it lent its output to are gone."""
        self._closed.set()

    async def wait_closed(self, seconds: float) -> None:
        """Wait for the rest of the output, at most so long."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closed.wait(), seconds)

    @property
    def text(self) -> str:
        """The lines kept, oldest first."""
        last = [self._rest.decode("utf-8", "replace")] if self._rest else []
        return "\n".join([*self._lines, *last])


async def open_log(descriptor: int) -> tuple[asyncio.ReadTransport, LogRing]:
    """Collect what arrives on a pipe's read end; the transport owns the descriptor."""
    pipe = os.fdopen(descriptor, "rb", buffering=0)
    loop = asyncio.get_running_loop()
    return await loop.connect_read_pipe(LogRing, pipe)
