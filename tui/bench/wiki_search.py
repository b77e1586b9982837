"""From a key to what it finds, in the real window over other people's wikis."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import Figure, Target, sampled
from tui.bench.first_frame import isolated_environment
from tui.bench.painting import first_painted
from tui.bench.terminal import TerminalProgram, close, start_in_terminal
from tui.bench.wiki_window import ESCAPE, LIMIT_SECONDS, copy_wiki, press, until_painted
from tui.screens.wiki.search import FIRST_PAGES
from tui.screens.wiki.search_words import count_words
from vault.consent import Consents
from vault.search.search import Search
from vault.vault import open_vault

WIKIS = {
    "garden-zh": ("双链笔记 obsidian", "知识管理 方法", "zettelkasten", "markdown 语法", "css"),
    "til": ("sqlite full text", "github actions cache", "jq array", "python asyncio", "docker"),
}
ROUNDS = 5
FIRST_FRAME = Target(0.5, "at most")
KEY_TO_RESULT = Target(0.1, "at most")
_MARKS = ("Wiki", "Ask anything")
_BETWEEN_KEYS_SECONDS = 0.15
_F7, _CLEAR, _QUIT = b"\x1b[18~", b"\x15", b"\x11"


@dataclass(frozen=True, slots=True)
class _Wiki:
    """A copy of a wiki, and what says how many pages a text finds."""

    root: Path
    count: Callable[[str], str]


async def search_figures(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """First frame, and key to result, for each wiki. Raises BenchFault without wikis, OSError."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as scratch:
        for name, queries in WIKIS.items():
            root = await asyncio.to_thread(copy_wiki, name, context.corpora, Path(scratch))
            wiki = await asyncio.to_thread(_opened, root, Path(scratch))
            figures += await _measure(wiki, queries, context, Path(scratch))
            for figure in figures[-2:]:
                report(f"  {figure.name}: {figure.measured:.3f} s")
    return tuple(figures)


def _opened(root: Path, scratch: Path) -> _Wiki:
    vault = open_vault(root, Consents(scratch / "consents"), scratch / "ours")
    search = Search(lambda: vault.index)
    return _Wiki(root, lambda text: count_words(search.find(text, FIRST_PAGES, True)))


async def _measure(
    wiki: _Wiki, queries: Sequence[str], context: BenchContext, scratch: Path
) -> tuple[Figure, Figure]:
    home = scratch / f"home-{wiki.root.name}"
    home.mkdir()
    environment = isolated_environment(home, context.model_folder) | {"ZIB_WIKI": str(wiki.root)}
    frames: list[float] = []
    keys: list[float] = []
    for turn in range(context.rounds or ROUNDS):
        program = await start_in_terminal(context.program, environment, home)
        try:
            await until_painted(program, 0, _MARKS)
            frames.append(first_painted(program.recording.pieces, _MARKS) or LIMIT_SECONDS)
            if not turn:
                keys = await _type_all(program, wiki, queries)
            program.type(_QUIT)
            await program.ends_within(LIMIT_SECONDS)
        finally:
            await program.kill()
            close(program)
    ranked = sorted(keys)
    note = f"{len(keys)} keys, p95 {ranked[int(0.95 * len(ranked))]:.3f}" if keys else ""
    return (
        sampled(f"first frame on {wiki.root.name}", "s", frames, FIRST_FRAME),
        # The median is what is asked for; single keys are in the runs.
        sampled(f"search key to result on {wiki.root.name}", "s", keys, KEY_TO_RESULT, note),
    )


async def _type_all(program: TerminalProgram, wiki: _Wiki, queries: Sequence[str]) -> list[float]:
    await press(program, _F7, ("-without",))
    # What is searched first waits for the index; that is not what is measured.
    seconds: list[float] = []
    await press(program, queries[0][0].encode(), (wiki.count(queries[0][0]),))
    for query in queries:
        program.type(_CLEAR)
        await asyncio.sleep(2 * _BETWEEN_KEYS_SECONDS)
        for key, before, after in _telling_keys(query, wiki.count):
            program.type(before.encode())
            await asyncio.sleep(_BETWEEN_KEYS_SECONDS)
            seconds.append(await press(program, key.encode(), (after,)))
            await asyncio.sleep(_BETWEEN_KEYS_SECONDS)
    program.type(ESCAPE)
    await asyncio.sleep(_BETWEEN_KEYS_SECONDS)
    return seconds


def _telling_keys(query: str, count: Callable[[str], str]) -> Iterator[tuple[str, str, str]]:
    """Keys after which another number of pages is shown, what comes before, and that number."""
    silent = ""
    shown = ""
    for index, key in enumerate(query):
        number = count(query[: index + 1])
        if number and number != shown:
            yield key, silent, number
            silent = ""
        else:
            silent += key
        shown = number
