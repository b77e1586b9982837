"""A chat that goes on after the engine was ended and started again, against reading it anew."""

from __future__ import annotations

import tempfile
import time
from contextlib import aclosing
from dataclasses import dataclass

from msgspec.structs import replace

from engine.client import EngineClient
from engine.config import EngineConfig
from engine.process import EngineLaunch
from engine.protocol import NO_REQUEST, Finished, Generate, Message, TextDelta
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Pair, Target, compared
from tui.bench.ours import GREEDY
from tui.bench.prompts import prompt_of

PREFIX_TOKENS = 2000
ANSWER_TOKENS = 8
TIER_BYTES = 4 * 1024**3
ROUNDS = 3
TARGET = Target(1 / 8, "at most")


@dataclass(slots=True)
class _Answer:
    """What came, when it began, and how much of its prompt was known."""

    text: str = ""
    seconds: float = 0.0
    reused_tokens: int = 0


async def bench_restart(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Ratios of times to the first token. Raises BenchFault, EngineError, OSError."""
    pairs: list[Pair] = []
    with tempfile.TemporaryDirectory(prefix="zib-restart-") as place:
        config = replace(context.engine, disk_tier_dir=place, disk_tier_bytes=TIER_BYTES)
        model = str(context.model_folder)
        for _ in range(context.rounds or ROUNDS):
            pairs.append(await _round(config, model, report))
    note = f"{PREFIX_TOKENS:,} tokens, {context.model_folder.name}"
    return (compared("first token after a restart", pairs, "s", TARGET, note),)


async def _round(config: EngineConfig, model: str, report: Report) -> Pair:
    """One chat over two engine processes."""
    async with EngineClient(EngineLaunch(config)) as engine:
        await engine.load(model)
        question = Message("user", await prompt_of(engine, PREFIX_TOKENS))
        cold = await _ask(engine, question)
        began = time.perf_counter()
    ending = time.perf_counter() - began
    async with EngineClient(EngineLaunch(config)) as engine:
        await engine.load(model)
        more = Message("user", "And then?")
        warm = await _ask(engine, question, Message("assistant", cold.text), more)
    report(
        f"  {warm.seconds:.2f} s after the restart, {cold.seconds:.2f} s cold; ended in "
        f"{ending:.1f} s, {warm.reused_tokens:,} tokens came back"
    )
    if warm.reused_tokens < PREFIX_TOKENS * 9 // 10:
        raise BenchFault(f"Only {warm.reused_tokens:,} tokens came back from the disk.")
    return Pair((warm.seconds,), cold.seconds)


async def _ask(engine: EngineClient, *messages: Message) -> _Answer:
    answer = _Answer()
    request = Generate(NO_REQUEST, messages, "restart", GREEDY, ANSWER_TOKENS)
    asked = time.perf_counter()
    async with aclosing(engine.run(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta | Finished):
                answer.seconds = answer.seconds or time.perf_counter() - asked
            if isinstance(event, TextDelta):
                answer.text += event.text
            elif isinstance(event, Finished):
                answer.reused_tokens = event.usage.reused_tokens
    return answer
