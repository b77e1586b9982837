"""Finding a text in a page, a slice at a time, so that a long page never holds up a key."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from time import perf_counter

from tui.document.flow import Flow

MOST_MATCHES = 10_000


@dataclass(frozen=True, slots=True, order=True)
class Match:
    """A place in a block's text."""

    block: int
    start: int
    end: int


@dataclass
class Finding:
    """One search of a page; `here` is the match the reader is at, -1 before the first."""

    query: str
    matches: list[Match] = field(default_factory=list)
    here: int = -1
    looked_at: int = 0

    def __post_init__(self) -> None:
        words = map(re.escape, self.query.split())
        self._pattern = re.compile(r"\s+".join(words), re.IGNORECASE)

    def look(self, flow: Flow, seconds: float) -> bool:
        """Look at more blocks for about so long; whether that was all of them."""
        until = perf_counter() + seconds
        count = len(flow.document.blocks)
        while self.looked_at < count and len(self.matches) < MOST_MATCHES:
            text = flow.laid(self.looked_at).text
            self.matches += (
                Match(self.looked_at, *found.span()) for found in self._pattern.finditer(text)
            )
            self.looked_at += 1
            if perf_counter() > until:
                break
        return self.looked_at >= count or len(self.matches) >= MOST_MATCHES

    def in_block(self, block: int) -> list[Match]:
        """The matches in one block."""
        first = bisect.bisect_left(self.matches, Match(block, -1, -1))
        end = bisect.bisect_left(self.matches, Match(block + 1, -1, -1))
        return self.matches[first:end]

    def step(self, forward: bool, from_block: int) -> Match | None:
        """Go to the next match, or the one before; round again at the end."""
        if not self.matches:
            return None
        if self.here < 0:
            near = bisect.bisect_left(self.matches, Match(from_block, -1, -1))
            self.here = near if forward else near - 1
        else:
            self.here += 1 if forward else -1
        self.here %= len(self.matches)
        return self.matches[self.here]
