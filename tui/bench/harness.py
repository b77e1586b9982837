"""Which benches there are, and running them one after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import psutil

from engine.errors import EngineError
from tui.bench.batch import bench_batch
from tui.bench.context import BenchContext, Report
from tui.bench.drafts import bench_drafts
from tui.bench.figures import BenchFault, BenchResult, CouldNotRun, Figure, Measured
from tui.bench.first_frame import bench_first_frame
from tui.bench.flood import bench_flood
from tui.bench.history import bench_history
from tui.bench.idle import bench_idle
from tui.bench.index import bench_index
from tui.bench.kv import bench_kv
from tui.bench.lanes import bench_lanes
from tui.bench.plan import bench_plan
from tui.bench.prompt_cache import bench_prompt_cache
from tui.bench.recall import bench_recall
from tui.bench.rename import bench_rename
from tui.bench.restart import bench_restart
from tui.bench.sampling import bench_sampling
from tui.bench.search import bench_search
from tui.bench.speed import bench_decode, bench_prefill
from tui.bench.structured import bench_structured
from tui.bench.typing import bench_typing
from tui.bench.wiki import bench_wiki

BUSY_SAMPLE_SECONDS = 0.5

RunBench = Callable[[BenchContext, Report], Awaitable[tuple[Figure, ...]]]


@dataclass(frozen=True, slots=True)
class Bench:
    """One bench: the name on the command line, a line about it, the work, what it works on."""

    name: str
    summary: str
    run: RunBench
    needs_model: bool = True


BENCHES = (
    Bench("decode", "speed of answering against plain mlx-lm, same model", bench_decode),
    Bench("prefill", "speed of reading a prompt against plain mlx-lm, same model", bench_prefill),
    Bench("first-frame", "time from start to the first painted frame", bench_first_frame),
    Bench("plan", "predicted memory against MLX's measured peak, many models", bench_plan),
    Bench("kv", "quantized keys and values: bytes, predictions, speed", bench_kv),
    Bench("batch", "background rows at once against one at a time", bench_batch),
    Bench("lanes", "a chat answer beside background rows, against both alone", bench_lanes),
    Bench(
        "prompt-cache", "turn 10 of a chat against reading it anew, and lookups", bench_prompt_cache
    ),
    Bench("restart", "first token of a chat after the engine was started again", bench_restart),
    Bench("drafts", "answers with copied drafts against the same without", bench_drafts),
    Bench("structured", "answers held to JSON schemas: all valid, and the cost", bench_structured),
    Bench("search", "what is found against plain FTS5, on real wikis", bench_search, False),
    Bench("recall", "whether the right article is in the prompt, and nothing else", bench_recall),
    Bench("index", "indexing 10,000 articles, keeping up, asking", bench_index, False),
    Bench("history", "the past of a page with 1,600 versions", bench_history, False),
    Bench("rename", "a page with 1,000 links to it gets another name", bench_rename, False),
    Bench("wiki", "first frame, search, reading and scrolling other people's wikis", bench_wiki),
    Bench("flood", "the index when 20,000 pages are written at once", bench_flood, False),
    Bench("typing", "from a key to its echo while an answer streams", bench_typing, False),
    Bench("sampling", "what it costs to feed the gauge while a model answers", bench_sampling),
    Bench("idle", "processor time and terminal output while nobody types", bench_idle),
)


def available(benches: Sequence[Bench] = BENCHES) -> dict[str, str]:
    """The benches' names with a line about each, in the order they run."""
    return {bench.name: bench.summary for bench in benches}


def choose(names: Sequence[str], benches: Sequence[Bench] = BENCHES) -> tuple[Bench, ...]:
    """The benches of these names, all when there are none. Raises BenchFault on an unknown one."""
    known = {bench.name: bench for bench in benches}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise BenchFault(
                f"There is no bench called {name}. {hint}The benches are: {', '.join(known)}."
            )
    return tuple(known[name] for name in dict.fromkeys(names)) or tuple(benches)


async def run_benches(
    names: Sequence[str],
    context: BenchContext,
    report: Report,
    benches: Sequence[Bench] = BENCHES,
) -> tuple[BenchResult, ...]:
    """Run the named benches, all when none is named; one that cannot run does not stop the others.

    Raises BenchFault on an unknown name, before anything runs.
    """
    return tuple([await _run(bench, context, report) for bench in choose(names, benches)])


async def _run(bench: Bench, context: BenchContext, report: Report) -> BenchResult:
    report(f"{bench.name}: {bench.summary}")
    others = await _busy_percent()
    start = time.monotonic()
    try:
        figures = await bench.run(context, report)
    except (BenchFault, EngineError, OSError) as error:
        report(f"{bench.name}: could not run: {error}")
        return CouldNotRun(bench.name, str(error), time.monotonic() - start)
    return Measured(bench.name, figures, time.monotonic() - start, others)


async def _busy_percent() -> float:
    """How much of all cores is in use right now, before we add to it."""
    psutil.cpu_percent()
    await asyncio.sleep(BUSY_SAMPLE_SECONDS)
    return psutil.cpu_percent()
