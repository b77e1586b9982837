"""Decode and prefill speed against plain mlx-lm, in pairs within one run."""

from __future__ import annotations

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
ATTEMPTS = 4
_FAST_ON_CPU = ("openblas-shim", "openblas")


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What one speed bench feeds both sides and how often."""

    prompt: Callable[[], str]
    decode_tokens: int
    pairs: int


async def bench_decode(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Tokens a second of a greedy answer. Raises BenchFault, EngineError, OSError."""
    comparison = _Comparison(rambling_prompt, DECODED_TOKENS, context.rounds or DECODE_PAIRS)
    model, runs = await _compare(comparison, context, report)
    pairs = [Pair(ours.decode_tps, theirs.decode_tps) for ours, theirs in runs]
    target = target_for(model, DECODE_TARGET)
    note = f"{DECODED_TOKENS} tokens, {model.name}, {model.compute}"
    return (compared("decode against mlx-lm", pairs, "tok/s", target, note),)


async def bench_prefill(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Prompt tokens a second until the first token. Raises BenchFault, EngineError, OSError."""
    comparison = _Comparison(lambda: long_prompt(PREFILL_WORDS), 2, context.rounds or PREFILL_PAIRS)
    model, runs = await _compare(comparison, context, report)
    pairs = [Pair(ours.prefill_tps, theirs.prefill_tps) for ours, theirs in runs]
    shortest = min(ours.prompt_tokens for ours, _ in runs)
    if shortest < PREFILL_WORDS:
        raise BenchFault(f"The prompt came to {shortest} tokens, fewer than {PREFILL_WORDS}.")
    target = target_for(model, PREFILL_TARGET)
    note = f"{shortest} tokens, {model.name}, {model.compute}"
    return (compared("prefill against mlx-lm", pairs, "tok/s", target, note),)


def target_for(model: ModelInfo, cpu_target: float) -> Target:
    """The target where MLX's CPU backend runs with a fast matrix library; elsewhere parity."""
    if model.compute in _FAST_ON_CPU:
        return Target(cpu_target, "at least", model.advice)
    note = f"no target on this device ({model.compute}), only not to be slower"
    return Target(1.0, "at least", f"{note}. {model.advice}".strip())


async def _compare(
    comparison: _Comparison, context: BenchContext, report: Report
) -> tuple[ModelInfo, list[tuple[OurSpeeds, BaselineSpeeds]]]:
    """Alternate ours and the baseline, so that a change of the machine's mood meets both."""
    runs: list[tuple[OurSpeeds, BaselineSpeeds]] = []
    async with EngineClient(EngineLaunch(context.engine)) as engine:
        model = await engine.load(str(context.model_folder))
        # Both sides are timed warm: the baseline warms up too.
        await measure_ours(engine, rambling_prompt(), 2)
        for turn in range(1, comparison.pairs + 1):
            ours = await _whole_answer(engine, comparison)
            theirs = await measure_baseline(context, ours.prompt_tokens, ours.decode_tokens)
            runs.append((ours, theirs))
            report(
                f"  pair {turn} of {comparison.pairs}, tok/s: "
                f"prefill {ours.prefill_tps:.1f} against {theirs.prefill_tps:.1f}, "
                f"decode {ours.decode_tps:.1f} against {theirs.decode_tps:.1f}"
            )
    return model, runs


async def _whole_answer(engine: EngineClient, comparison: _Comparison) -> OurSpeeds:
    for _ in range(ATTEMPTS):
        ours = await measure_ours(engine, comparison.prompt(), comparison.decode_tokens)
        if ours is not None:
            return ours
    raise BenchFault(
        f"The model ended {ATTEMPTS} answers before {comparison.decode_tokens} tokens, "
        "so its speed cannot be compared. Choose another model."
    )
