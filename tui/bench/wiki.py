"""What browsing feels like: each measurement is a module of its own."""

from __future__ import annotations

from tui.bench.context import BenchContext, Report
from tui.bench.figures import Figure
from tui.bench.wiki_article import article_figures
from tui.bench.wiki_scroll import scroll_figures
from tui.bench.wiki_search import search_figures

MEASUREMENTS = (search_figures, article_figures, scroll_figures)


async def bench_wiki(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Open, search, read and scroll other people's wikis. Raises BenchFault, OSError."""
    figures: list[Figure] = []
    for measure in MEASUREMENTS:
        figures += await measure(context, report)
    return tuple(figures)
