"""One guest as its host sees it: what it is sent, and what it has asked for."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field

from engine.framing import encode_frame
from engine.protocol import Event, MemoryReport

REPORT_BACKLOG_BYTES = 64 * 1024
LONGEST_BACKLOG_BYTES = 4 * 1024**2


@dataclass(eq=False, slots=True)
class Guest:
    """A connection; `requests` maps the guest's ids to the engine's."""

    number: int
    transport: asyncio.WriteTransport
    requests: dict[int, int] = field(default_factory=dict)
    conversations: dict[str, None] = field(default_factory=dict)

    def send(self, event: Event) -> None:
        """Write without waiting; a guest that does not read loses reports, then its connection."""
        if self.transport.is_closing():
            return
        backlog = self.transport.get_write_buffer_size()
        if backlog > LONGEST_BACKLOG_BYTES:
            self.leave()
        elif backlog <= REPORT_BACKLOG_BYTES or not isinstance(event, MemoryReport):
            self.transport.write(encode_frame(event))

    def leave(self) -> None:
        """Close at once, whatever was not read."""
        self.transport.abort()

    def conversation(self, name: str) -> str:
        """A name that no other guest and no host uses; no name stays none."""
        return f"guest {os.getpid()}.{self.number} {name}" if name else ""
