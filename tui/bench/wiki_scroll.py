"""Keys that scroll a page of 400 KB: seconds from each key to what it paints."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import Figure, Target, sampled
from tui.bench.wiki_window import ENTER, F3, TAB, copy_wiki, open_window, press, quiet

TARGET = Target(0.08, "at most", "p95 of the keys")
PAGE_BYTES = 400_000
ROUNDS = 30
_BETWEEN_KEYS_SECONDS = 0.08
_DOWN, _UP, _PAGE_DOWN, _PAGE_UP = b"\x1b[B", b"\x1b[A", b"\x1b[6~", b"\x1b[5~"
_HOME, _END = b"\x1b[H", b"\x1b[F"
_NAME = "One_long_page"
_TOP = "The top of it"
_FOOTER = "Hints"


async def scroll_figures(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Key latency on a page made of the pages of til. Raises BenchFault, OSError."""
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as scratch:
        root = Path(scratch) / "wiki"
        root.mkdir()
        til = await asyncio.to_thread(copy_wiki, "til", context.corpora, Path(scratch))
        (root / f"{_NAME}.md").write_text(_long_page(til), "utf-8")
        async with open_window(context, root, Path(scratch) / "home") as program:
            program.type(f"/open {_NAME}".encode())
            await quiet(program, 0.4)
            opened = await press(program, ENTER, (_TOP,))
            await press(program, F3)
            await quiet(program, 0.4)
            await press(program, TAB, (_FOOTER,))
            seconds: list[float] = []
            for _ in range(context.rounds or ROUNDS):
                for key in (_PAGE_DOWN, _PAGE_DOWN, _PAGE_DOWN, _DOWN, _DOWN, _PAGE_UP, _UP):
                    seconds.append(await press(program, key))
                    await asyncio.sleep(_BETWEEN_KEYS_SECONDS)
            for key in (_END, _PAGE_UP, _PAGE_UP, _HOME, _PAGE_DOWN):
                seconds.append(await press(program, key))
                await asyncio.sleep(_BETWEEN_KEYS_SECONDS)
    ranked = sorted(seconds)
    slow = ranked[int(0.95 * len(ranked))]
    median = ranked[len(ranked) // 2]
    note = f"{len(ranked)} keys, median {median:.3f}, slowest {ranked[-1]:.3f} s"
    report(f"  400 KB page: opened in {opened:.3f} s; key p95 {slow:.3f} s, {note}")
    return (
        sampled("400 KB page opened", "s", [opened], Target(0.3, "at most")),
        sampled("key on a 400 KB page, p95", "s", [slow], TARGET, note),
    )


def _long_page(til: Path) -> str:
    """The pages of a wiki one after the other until they are long enough."""
    pieces = [f"{_TOP}.\n"]
    size = 0
    for page in sorted(til.rglob("*.md")):
        text = page.read_text("utf-8", errors="replace")
        pieces.append(text)
        size += len(text.encode("utf-8", "replace"))
        if size > PAGE_BYTES:
            break
    return "\n\n".join(pieces)
