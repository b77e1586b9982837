"""Background rows of the real engine, watched from outside."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from engine.client import EngineClient
from engine.protocol import NO_REQUEST, Finished, Generate, Lane, Message, TextDelta, Usage
from tui.bench.figures import BenchFault
from tui.bench.ours import GREEDY


@dataclass(slots=True)
class Watched:
    """One answer: when its pieces came, by our clock, and what it cost in the end."""

    request: Generate
    asked_at: float = field(default_factory=time.perf_counter)
    pieces: list[float] = field(default_factory=list)
    ended_at: float = 0.0
    usage: Usage | None = None

    @property
    def done(self) -> Usage:
        """What it cost. Raises BenchFault while it has not ended."""
        if self.usage is None:
            raise BenchFault("The engine closed an answer without ending it.")
        return self.usage

    def pieces_between(self, start: float, end: float) -> int:
        """How many pieces came in a stretch of time."""
        return sum(start < at <= end for at in self.pieces)


def request(prompt: str, max_tokens: int, lane: Lane = "background") -> Generate:
    """A greedy answer to a prompt without history."""
    return Generate(NO_REQUEST, (Message("user", prompt),), "", GREEDY, max_tokens, lane=lane)


async def watch(engine: EngineClient, row: Watched) -> Watched:
    """Run a row to its end. Raises EngineError, BenchFault when a cache took part."""
    async with aclosing(engine.run(row.request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                row.pieces.append(time.perf_counter())
            elif isinstance(event, Finished):
                row.usage, row.ended_at = event.usage, time.perf_counter()
    if row.done.reused_tokens:
        raise BenchFault(f"{row.done.reused_tokens} prompt tokens came from a cache.")
    return row


async def run_at_once(engine: EngineClient, prompts: Sequence[str], tokens: int) -> list[Watched]:
    """All rows beside each other."""
    rows = [Watched(request(prompt, tokens)) for prompt in prompts]
    return list(await asyncio.gather(*(watch(engine, row) for row in rows)))


async def run_in_turn(engine: EngineClient, prompts: Sequence[str], tokens: int) -> list[Watched]:
    """One row after the other."""
    return [await watch(engine, Watched(request(prompt, tokens))) for prompt in prompts]
