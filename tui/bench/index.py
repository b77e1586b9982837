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
from vault.index.index import Index
from vault.search.search import Search

ARTICLES = 10_000
UPDATES = 5_000
QUERIES = 300
_BYTES = 4_000
_VOCABULARY = 20_000
_COMMONEST = 50
_ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou", "an", "er")
_ENDINGS = ("", "", "", "n", "s", "ing", "ed", "l")
_MIB = 1024**2


async def bench_index(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Index made-up articles in a scratch folder. Raises OSError."""
    return await asyncio.to_thread(_measure, report)


def _measure(report: Report) -> tuple[Figure, ...]:
    chance = random.Random(11)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "wiki"
        root.mkdir()
        for number in range(ARTICLES):
            path_of(root, number).write_text(article_of(chance, number))
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
            f"{_BYTES:,} bytes each; the index takes {size:.0f} MiB",
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


def path_of(root: Path, number: int) -> Path:
    """Where an article is."""
    return root / f"Page {number}.md"


def article_of(chance: random.Random, number: int) -> str:
    """An article as people write them: properties, sections, links, a list."""
    pieces = [
        f"---\naliases: [Alias {number}]\ntags: [t{number % 50}]\n"
        f"updated: 2026-01-{number % 28 + 1:02d}\n---\n# Page {number}\n\n"
    ]
    size = 0
    while size < _BYTES:
        words = " ".join(_word(chance) for _ in range(90))
        target = chance.randrange(ARTICLES)
        pieces.append(
            f"## Part {len(pieces)}\n\n{words} [[Page {target}]] and `code`."
            f" #tag{chance.randrange(99)}\n\n- {_word(chance)}\n- [[Page {target}|other]]\n\n"
        )
        size += len(pieces[-1])
    return "".join(pieces)


def _word(chance: random.Random) -> str:
    """A word; as in any language few of them are most of a text, and those are short."""
    return _spelt(int(_VOCABULARY ** chance.random()))


@functools.cache
def _spelt(rank: int) -> str:
    """The word of a rank: syllables, and for some an ending that stems drop."""
    word, left = "", rank
    while left or not word:
        left, syllable = divmod(left, len(_ONSETS) * len(_VOWELS))
        word += _ONSETS[syllable % len(_ONSETS)] + _VOWELS[syllable // len(_ONSETS)]
    return word + _ENDINGS[rank % len(_ENDINGS)] if rank > _COMMONEST else word


def query_of(chance: random.Random) -> str:
    """Two to five words as they come in texts: the commonest, which all pages have, among them."""
    return " ".join(_word(chance) for _ in range(chance.randrange(2, 6)))


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * len(times))]
