"""A chat that has grown for nine turns, and how its beginning is found among others."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass

from engine.client import EngineClient
from engine.process import EngineLaunch
from engine.protocol import NO_REQUEST, Finished, Generate, Message, TextDelta, Usage
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Pair, Target, compared, sampled
from tui.bench.lookup import Lookup, measure_lookups
from tui.bench.ours import GREEDY
from tui.bench.prompts import prompt_of

TURNS = 10
LEAST_PROMPT, MOST_NEW = 1500, 40
QUESTION_TOKENS, ANSWER_TOKENS = 150, 24
LAST_QUESTION = "And then?"
ENTRIES, TOKENS = 50, 32_000
ROUNDS = 2
FIRST_TOKEN_TARGET = Target(1 / 10, "at most")
LOOKUP_TARGET = Target(20.0, "at most")


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    seconds: float
    usage: Usage


async def bench_prompt_cache(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Times to the first token, warm over cold, and of lookups. Raises BenchFault, EngineError."""
    lookups = await measure_lookups(context, ENTRIES, TOKENS)
    for each in lookups:
        report(f"  {each.case}: {each.ours * 1000:.2f} ms, mlx-lm {_theirs(each)}")
    pairs: list[Pair] = []
    async with EngineClient(EngineLaunch(context.engine)) as engine:
        model = await engine.load(str(context.model_folder))
        for number in range(context.rounds or ROUNDS):
            pairs.append(await _round(engine, f"chat {number}", report))
    return (
        compared(
            f"first token of turn {TURNS}",
            pairs,
            "s",
            FIRST_TOKEN_TARGET,
            f"{LEAST_PROMPT:,} tokens or more, at most {MOST_NEW} new, {model.name}",
        ),
        sampled(
            "slowest lookup",
            "ms",
            [max(each.ours for each in lookups) * 1000],
            LOOKUP_TARGET,
            f"{TOKENS:,} tokens among {ENTRIES} entries",
        ),
    )


async def _round(engine: EngineClient, name: str, report: Report) -> Pair:
    messages: list[Message] = []
    for _ in range(TURNS - 1):
        messages.append(Message("user", await prompt_of(engine, QUESTION_TOKENS)))
        answer = await _ask(engine, name, messages)
        messages.append(Message("assistant", answer.text))
    messages.append(Message("user", LAST_QUESTION))
    warm = await _ask(engine, name, messages)
    cold = await _ask(engine, "", messages)
    new = warm.usage.prompt_tokens - warm.usage.reused_tokens
    if warm.usage.prompt_tokens < LEAST_PROMPT or new > MOST_NEW or cold.usage.reused_tokens:
        raise BenchFault(
            f"Of {warm.usage.prompt_tokens:,} tokens {new:,} were read, and alone "
            f"{cold.usage.prompt_tokens - cold.usage.reused_tokens:,}: this is not turn {TURNS} of "
            "a chat that goes on."
        )
    report(
        f"  turn {TURNS}: {warm.seconds:.3f} s with {new} new of {warm.usage.prompt_tokens:,} "
        f"tokens, {cold.seconds:.3f} s cold"
    )
    return Pair((warm.seconds,), cold.seconds)


async def _ask(engine: EngineClient, name: str, messages: list[Message]) -> _Answer:
    request = Generate(NO_REQUEST, tuple(messages), name, GREEDY, ANSWER_TOKENS)
    asked, seconds, text = time.perf_counter(), 0.0, ""
    async with aclosing(engine.run(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta | Finished):
                seconds = seconds or time.perf_counter() - asked
            if isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, Finished):
                return _Answer(text, seconds, event.usage)
    raise BenchFault("The engine closed an answer without ending it.")


def _theirs(lookup: Lookup) -> str:
    times = f"{lookup.theirs / lookup.ours:,.1f}x"
    if lookup.was_stopped:
        return f"stopped after {lookup.theirs:.0f} s, more than {times}"
    return f"{lookup.theirs * 1000:.2f} ms, {times}"
