"""What it costs to index 10,000 articles, to keep the index right, and to ask it."""

from __future__ import annotations

import asyncio
import functools
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from tui.bench.context import BenchContext, Report
from tui.bench.figures import Figure, Target, sampled
from tui.bench.made_up_wiki import (
    ARTICLE_BYTES,
    ARTICLES,
    article_of,
    path_of,
    query_of,
    write_wiki,
)
from vault.index.index import Index
from vault.search.search import Search

UPDATES = 5_000
QUERIES = 300
_MIB = 1024**2


async def bench_index(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Index made-up articles in a scratch folder. Raises OSError."""
    return await asyncio.to_thread(_measure, report)


def _measure(report: Report) -> tuple[Figure, ...]:
    chance = random.Random(11)
    with tempfile.TemporaryDirectory() as scratch:
        root = write_wiki(Path(scratch), chance)
        index = Index(root, Path(scratch) / "index.sqlite")
        done = index.refresh()
        report(f"  {done.indexed:,} articles in {done.seconds:.1f} s")
        search = Search(lambda: index)
        search.find("warm")
        queries = [_milliseconds(lambda: search.find(query_of(chance), 10)) for _ in range(QUERIES)]
        report(f"  {QUERIES} queries")
        updates, grown = _updates(index, root, chance)
        size = (Path(scratch) / "index.sqlite").stat().st_size / _MIB
        index.close()
    return (
        sampled(
            f"full index of {ARTICLES:,} articles",
            "s",
            [done.seconds],
            Target(10.0, "at most"),
            f"{ARTICLE_BYTES:,} bytes each; the index takes {size:.0f} MiB",
        ),
        sampled("update after one save, p95", "ms", [_p95(updates)], Target(50.0, "at most")),
        sampled("a search, p95", "ms", [_p95(queries)], Target(20.0, "at most")),
        sampled(f"memory grown over {UPDATES:,} updates", "MiB", [grown], Target(16.0, "at most")),
    )


def _updates(index: Index, root: Path, chance: random.Random) -> tuple[list[float], float]:
    """Times of updates, and how much memory grew after the first tenth of them."""
    process = psutil.Process()
    times: list[float] = []
    before = 0
    for count in range(UPDATES):
        if count == UPDATES // 10:
            before = process.memory_info().rss
        number = chance.randrange(ARTICLES)
        path_of(root, number).write_text(article_of(chance, number))
        times.append(_milliseconds(functools.partial(index.update, [path_of(root, number).name])))
    return times, (process.memory_info().rss - before) / _MIB


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * len(times))]
