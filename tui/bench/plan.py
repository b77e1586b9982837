"""The memory plan against MLX's measured peak: small models of many families and the real one."""

from __future__ import annotations

import random
import string
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from engine.plan.contract import PlanOptions
from tui.bench.context import BenchContext, Report
from tui.bench.families import FAMILIES
from tui.bench.figures import Figure, Pair, Target
from tui.bench.peak import MIB, MeteredEngine, PeakRun, metered_engine
from tui.bench.prompts import long_prompt
from tui.bench.random_models import write_random_models

LENGTHS = (512, 2048, 6000)
LONG_CHUNK = 512
ANSWER_TOKENS = 8
NEVER_BELOW = Target(0.0, "at least", "the plan is never below the peak")
NOT_FAR_ABOVE = Target(1.0, "at most", "of 10 % + 16 MiB above it")
_AS_SET_UP = PlanOptions()


@dataclass(frozen=True, slots=True)
class PlanCase:
    """A model to run at several lengths. Without a config it is the user's own model."""

    name: str
    config: Mapping[str, object] | None = None
    prefill_step: int | None = None
    options: PlanOptions = _AS_SET_UP
    lengths: tuple[int, ...] = LENGTHS


def _quantized(family: str, bits: int, rows: int = 1) -> PlanCase:
    at_once = f", {rows} rows" if rows > 1 else ""
    options = PlanOptions(kv_bits=bits, rows=rows)
    return PlanCase(f"{family}, {bits}-bit KV{at_once}", FAMILIES[family], options=options)


def _at_once(family: str, rows: int = 4) -> PlanCase:
    options = PlanOptions(rows=rows)
    return PlanCase(f"{family}, {rows} rows", FAMILIES[family], options=options)


CASES = (
    PlanCase("the app's model"),
    *(PlanCase(name, config) for name, config in FAMILIES.items()),
    *(
        PlanCase(f"{name}, {LONG_CHUNK} at once", FAMILIES[name], LONG_CHUNK, lengths=LENGTHS[1:2])
        for name in ("llama", "gemma3", "mixtral", "mamba2", "granite-hybrid")
    ),
    PlanCase("the app's model, 8-bit KV", options=PlanOptions(kv_bits=8)),
    *(_quantized(name, 8) for name in ("llama", "qwen3", "gemma3", "gemma3n", "qwen3.5")),
    *(_quantized(name, 4) for name in ("llama", "gemma3-small-window")),
    *(_at_once(name) for name in ("llama", "gemma3", "qwen3.5", "mamba2")),
    *(_quantized(name, 8, rows=4) for name in ("llama", "gemma3")),
)


async def bench_plan(
    context: BenchContext, report: Report, cases: Sequence[PlanCase] = CASES
) -> tuple[Figure, ...]:
    """Two figures a case. `rounds` limits the lengths. Raises BenchFault, EngineError, OSError."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as place:
        for case in cases:
            runs = await _run_case(case, context, Path(place), report)
            figures += figures_of(case.name, runs)
    return tuple(figures)


def figures_of(name: str, runs: Sequence[PeakRun]) -> tuple[Figure, Figure]:
    """The closest run from below and the one that uses most of what is allowed."""
    closest = min(run.above / MIB for run in runs)
    widest = max(run.above / run.allowed for run in runs)
    pairs = tuple(Pair((run.predicted / MIB,), run.measured / MIB) for run in runs)
    note = "predicted, measured MiB: " + "; ".join(
        f"{run.tokens:,} tokens {run.predicted / MIB:.1f}, {run.measured / MIB:.1f}" for run in runs
    )
    return (
        Figure(f"{name}: least above", "MiB", (closest,), NEVER_BELOW, note=note),
        Figure(f"{name}: allowance used", "x", (widest,), NOT_FAR_ABOVE, pairs, "MiB"),
    )


async def _run_case(
    case: PlanCase, context: BenchContext, place: Path, report: Report
) -> list[PeakRun]:
    engine = structs.replace(context.engine, records_dir=str(place / "records"))
    if case.prefill_step:
        engine = structs.replace(engine, prefill_step=case.prefill_step)
    if bits := case.options.kv_bits:
        engine = structs.replace(engine, kv_bits="8" if bits == 8 else "4")
    folder = context.model_folder
    if case.config is not None:
        folder = place / case.name
        await write_random_models(place, {case.name: case.config}, engine.temporary_dir)
    async with metered_engine(engine) as metered:
        await metered.client.load(str(folder))
        return [
            await _run_length(case, metered, folder, tokens, report)
            for tokens in case.lengths[: context.rounds]
        ]


async def _run_length(
    case: PlanCase, metered: MeteredEngine, folder: Path, tokens: int, report: Report
) -> PeakRun:
    prompt = letters(tokens) if case.config else long_prompt(tokens)
    run = await metered.run(str(folder), prompt, ANSWER_TOKENS, case.options)
    report(
        f"  {case.name}, {run.tokens:,} tokens: predicted {run.predicted / MIB:.1f} MiB, measured "
        f"{run.measured / MIB:.1f}, {run.above / MIB:.1f} above, {run.allowed / MIB:.1f} allowed"
    )
    return run


def letters(tokens: int) -> str:
    """A text of exactly that many tokens for a model with one token a byte and one to start."""
    return "".join(random.choices(string.ascii_lowercase, k=tokens - 1))
