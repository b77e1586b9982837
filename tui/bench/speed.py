"""Decode and prefill speed against plain mlx-lm, in pairs within one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.client import EngineClient
from engine.process import EngineLaunch
from engine.protocol import ModelInfo
from tui.bench.baseline import BaselineSpeeds, measure_baseline
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Pair, Target, compared
from tui.bench.ours import OurSpeeds, measure_ours
from tui.bench.prompts import long_prompt, rambling_prompt

DECODE_TARGET, PREFILL_TARGET = 2.2, 12.0
DECODE_PAIRS, PREFILL_PAIRS = 5, 3
DECODED_TOKENS = 48
PREFILL_WORDS = 256
# Ours is over so soon that one run would catch a single moment of the machine's mood.
OUR_RUNS_BEFORE, OUR_RUNS_AFTER = 2, 1
LEAST_PAIRS = 2
NO_NEW_PAIR_AFTER_SECONDS = 75.0
ATTEMPTS = 4
_FAST_ON_CPU = ("openblas-shim", "openblas")


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What one speed bench feeds both sides and how often."""

    prompt: Callable[[], str]
    decode_tokens: int
    pairs: int


@dataclass(frozen=True, slots=True)
class _Turn:
    """Our runs and the baseline's run between them."""

    ours: tuple[OurSpeeds, ...]
    theirs: BaselineSpeeds

    @property
    def decode(self) -> Pair:
        """Tokens a second of the answer after its first token."""
        return Pair(tuple(run.decode_tps for run in self.ours), self.theirs.decode_tps)

    @property
    def prefill(self) -> Pair:
        """Prompt tokens a second until the first token."""
        return Pair(tuple(run.prefill_tps for run in self.ours), self.theirs.prefill_tps)


async def bench_decode(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Tokens a second of a greedy answer. Raises BenchFault, EngineError, OSError."""
    comparison = _Comparison(rambling_prompt, DECODED_TOKENS, context.rounds or DECODE_PAIRS)
    model, turns = await _compare(comparison, context, report)
    target = target_for(model, DECODE_TARGET)
    note = f"{DECODED_TOKENS} tokens, {model.name}, {model.compute}"
    pairs = [turn.decode for turn in turns]
    return (compared("decode against mlx-lm", pairs, "tok/s", target, note),)


async def bench_prefill(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Prompt tokens a second until the first token. Raises BenchFault, EngineError, OSError."""
    comparison = _Comparison(lambda: long_prompt(PREFILL_WORDS), 2, context.rounds or PREFILL_PAIRS)
    model, turns = await _compare(comparison, context, report)
    shortest = min(turn.theirs.prompt_tokens for turn in turns)
    if shortest < PREFILL_WORDS:
        raise BenchFault(f"The prompt came to {shortest} tokens, fewer than {PREFILL_WORDS}.")
    target = target_for(model, PREFILL_TARGET)
    note = f"{shortest} tokens, {model.name}, {model.compute}"
    pairs = [turn.prefill for turn in turns]
    return (compared("prefill against mlx-lm", pairs, "tok/s", target, note),)


def target_for(model: ModelInfo, cpu_target: float) -> Target:
    """The target where MLX's CPU backend runs with a fast matrix library; elsewhere parity."""
    if model.compute in _FAST_ON_CPU:
        return Target(cpu_target, "at least", model.advice)
    note = f"no target on this device ({model.compute}), only not to be slower"
    return Target(1.0, "at least", f"{note}. {model.advice}".strip())


async def _compare(
    comparison: _Comparison, context: BenchContext, report: Report
) -> tuple[ModelInfo, list[_Turn]]:
    """Alternate ours and the baseline, so that a change of the machine's mood meets both.

    On a slow machine there are fewer pairs, never fewer than two unless one was asked for.
    """
    turns: list[_Turn] = []
    start = time.monotonic()
    async with EngineClient(EngineLaunch(context.engine)) as engine:
        model = await engine.load(str(context.model_folder))
        # Both sides are timed warm: the baseline warms up too.
        await measure_ours(engine, rambling_prompt(), 2)
        while len(turns) < comparison.pairs:
            is_late = time.monotonic() - start > NO_NEW_PAIR_AFTER_SECONDS
            if is_late and len(turns) >= LEAST_PAIRS:
                report(f"  no more pairs after {NO_NEW_PAIR_AFTER_SECONDS:g} s")
                break
            turns.append(await _take_turn(engine, comparison, context))
            report(f"  pair {len(turns)} of {comparison.pairs}: {_describe(turns[-1])}")
    return model, turns


async def _take_turn(engine: EngineClient, comparison: _Comparison, context: BenchContext) -> _Turn:
    before = [await _whole_answer(engine, comparison) for _ in range(OUR_RUNS_BEFORE)]
    theirs = await measure_baseline(context, before[-1].prompt_tokens, comparison.decode_tokens)
    after = [await _whole_answer(engine, comparison) for _ in range(OUR_RUNS_AFTER)]
    return _Turn((*before, *after), theirs)


def _describe(turn: _Turn) -> str:
    return (
        f"prefill {turn.prefill.ours:.1f} against {turn.prefill.theirs:.1f} tok/s, "
        f"decode {turn.decode.ours:.1f} against {turn.decode.theirs:.1f} tok/s"
    )


async def _whole_answer(engine: EngineClient, comparison: _Comparison) -> OurSpeeds:
    for _ in range(ATTEMPTS):
        ours = await measure_ours(engine, comparison.prompt(), comparison.decode_tokens)
        if ours is not None:
            return ours
    raise BenchFault(
        f"The model ended {ATTEMPTS} answers before {comparison.decode_tokens} tokens, "
        "so its speed cannot be compared. Choose another model."
    )
