"""From the key that opens an article to its text on the screen, over other people's wikis."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import Figure, Target, sampled
from tui.bench.terminal import TerminalProgram
from tui.bench.wiki_window import ENTER, copy_wiki, open_window, press, quiet
from tui.document.document import read_document
from tui.document.layout.lay import lay

WIKIS = ("garden-zh", "til")
TARGET = Target(0.3, "at most", "a page of any size, medians")
ARTICLES = 20
LARGEST = 5
SEED = 9
_PANE_CELLS = 30
_SEEN_LINES = 8
_MARK_CHARACTERS = 8


@dataclass(frozen=True, slots=True)
class _Article:
    """What is typed to open it, and what can be read when it is drawn."""

    path: str
    mark: str


async def article_figures(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """One figure a wiki: the largest pages and as many others. Raises BenchFault, OSError."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as scratch:
        for name in WIKIS:
            root = await asyncio.to_thread(copy_wiki, name, context.corpora, Path(scratch))
            articles = await asyncio.to_thread(_choose, root, context.rounds or ARTICLES)
            async with open_window(context, root, Path(scratch) / f"home-{name}") as program:
                seconds = [await _open(program, article) for article in articles]
            ranked = sorted(seconds)
            note = f"{len(seconds)} articles, slowest {ranked[-1]:.3f} s"
            figures.append(sampled(f"article opened on {name}", "s", seconds, TARGET, note))
            report(f"  article on {name}: {figures[-1].measured:.3f} s, {note}")
    return tuple(figures)


async def _open(program: TerminalProgram, article: _Article) -> float:
    program.type(f"/open {article.path}".encode())
    await quiet(program, 0.4)
    seconds = await press(program, ENTER, (article.mark,))
    await quiet(program, 0.4)
    return seconds


def _choose(root: Path, count: int) -> list[_Article]:
    """The largest pages and a seeded choice of the others that can be told by what they show."""
    pages = sorted(root.rglob("*.md"), key=lambda page: page.stat().st_size, reverse=True)
    others = pages[LARGEST:]
    random.Random(SEED).shuffle(others)
    found: list[_Article] = []
    for page in (*pages[:LARGEST], *others):
        mark = _mark(page)
        path = page.relative_to(root).as_posix()
        # A tab or a line break in a name cannot be typed.
        if (
            mark
            and path.isprintable()
            and not any(part.startswith(".") for part in path.split("/"))
        ):
            found.append(_Article(path, mark))
        if len(found) == count:
            break
    return found


def _mark(page: Path) -> str:
    """Some characters of the first lines that are not in the page's name; empty when none are."""
    for text in _first_lines(page.read_text("utf-8", errors="replace")):
        mark = text.strip()[:_MARK_CHARACTERS].strip()
        if len(mark) > _MARK_CHARACTERS // 2 and mark.isprintable() and mark not in str(page):
            return mark
    return ""


def _first_lines(text: str) -> Iterator[str]:
    seen = 0
    for block in read_document(text).blocks:
        for line in lay(block, _PANE_CELLS).lines:
            seen += 1
            if seen > _SEEN_LINES:
                return
            yield line.text[line.margin :]
