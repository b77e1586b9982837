"""A chat answer beside six background rows, against both alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.client import EngineClient
from engine.process import EngineLaunch
from tui.bench.background import Watched, request, watch
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Pair, Target, compared
from tui.bench.prompts import prompt_of, rambling_prompt

BACKGROUND_ROWS = 6
BACKGROUND_TOKENS = 1500
CHAT_PROMPT, CHAT_TOKENS = 200, 64
OWN_SECONDS = 4.0
ROUNDS = 3
FIRST_TOKEN_TARGET = Target(2.0, "at most")
CHAT_TARGET = Target(0.45, "at least")
BACKGROUND_TARGET = Target(0.40, "at least")


@dataclass(frozen=True, slots=True)
class Round:
    """The chat beside background work and alone, background work beside the chat and alone."""

    first_token: Pair
    chat: Pair
    background: Pair


async def bench_lanes(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Ratios within each round. Raises BenchFault, EngineError, OSError."""
    rounds: list[Round] = []
    async with EngineClient(EngineLaunch(context.engine)) as engine:
        model = await engine.load(str(context.model_folder))
        await _chat(engine)
        for _ in range(context.rounds or ROUNDS):
            rounds.append(await _round(engine))
            last = rounds[-1]
            report(
                f"  first token {last.first_token.ratio:.2f}x, chat {last.chat.ratio:.0%}, "
                f"background {last.background.ratio:.0%}"
            )
    note = (
        f"{CHAT_PROMPT} prompt tokens beside {BACKGROUND_ROWS} rows, {model.name}, {model.compute}"
    )
    return (
        compared(
            "first token beside rows",
            [each.first_token for each in rounds],
            "s",
            FIRST_TOKEN_TARGET,
            note,
        ),
        compared("chat beside rows", [each.chat for each in rounds], "tok/s", CHAT_TARGET),
        compared(
            "rows beside chat", [each.background for each in rounds], "pieces/s", BACKGROUND_TARGET
        ),
    )


async def _round(engine: EngineClient) -> Round:
    alone_before = await _chat(engine)
    rows = [Watched(request(rambling_prompt(), BACKGROUND_TOKENS)) for _ in range(BACKGROUND_ROWS)]
    tasks = [asyncio.create_task(watch(engine, row)) for row in rows]
    try:
        while not all(row.pieces for row in rows):
            await asyncio.sleep(0.05)
            _check(tasks)
        own = [await _own_rate(rows)]
        beside = await _chat(engine)
        between = _rate(rows, beside.pieces[0], beside.pieces[-1])
        own.append(await _own_rate(rows))
        _check(tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    alone = [alone_before, await _chat(engine)]
    return Round(
        Pair((_first(beside),), sum(map(_first, alone)) / 2),
        Pair((_decode(beside),), sum(map(_decode, alone)) / 2),
        Pair((between,), sum(own) / 2),
    )


async def _chat(engine: EngineClient) -> Watched:
    """One chat answer of a fresh prompt."""
    prompt = await prompt_of(engine, CHAT_PROMPT)
    return await watch(engine, Watched(request(prompt, CHAT_TOKENS, "chat")))


async def _own_rate(rows: Sequence[Watched]) -> float:
    start = time.perf_counter()
    await asyncio.sleep(OWN_SECONDS)
    return _rate(rows, start, time.perf_counter())


def _rate(rows: Sequence[Watched], start: float, end: float) -> float:
    """Pieces a second of all rows in a stretch of time."""
    return sum(row.pieces_between(start, end) for row in rows) / (end - start)


def _first(row: Watched) -> float:
    return row.pieces[0] - row.asked_at


def _decode(row: Watched) -> float:
    usage = row.done
    if usage.generated_tokens < CHAT_TOKENS // 2:
        raise BenchFault("The model ended its answer too early to be timed. Choose another model.")
    return usage.decode_tps


def _check(tasks: Sequence[asyncio.Task[Watched]]) -> None:
    for task in tasks:
        if task.done():
            task.result()
            raise BenchFault("A background row ended before it was measured.")
