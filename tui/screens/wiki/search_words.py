"""Sentences of the search."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from tui.text.content import literal_line
from tui.text.line import to_line
from vault.index.index import Progress
from vault.search.result import Hit, Results

OPERATORS = 'title: tag: category: path: heading: "in this order" -without'
_PARTS = {"words": "words on the page", "name": "its name", "proximity": "words near each other"}
_BAR_CELLS = 10
_MUTED = "$foreground-muted"


def remark(results: Results, typed: str) -> str:
    """What is to know about an answer before it is read; empty when nothing is."""
    remarks: list[str] = []
    if results.is_loosened:
        remarks.append("No page has these words in that order; these have the words.")
    for word, instead in results.corrected:
        others = ", ".join(f"“{to_line(each)}”" for each in instead)
        remarks.append(f"No page has “{to_line(word)}”; looked for {others}.")
    if not results.hits and typed.strip():
        remarks.append("No page was found.")
    return " ".join(remarks)


def count_words(results: Results) -> str:
    """How many pages there are."""
    shown, total = len(results.hits), max(results.total, len(results.hits))
    if not total:
        return ""
    pages = "page" if total == 1 else "pages"
    return f"{total:,} {pages}" if shown == total else f"best {shown:,} of {total:,} {pages}"


def waiting_words(progress: Progress | None) -> str:
    """While the wiki is read for its index."""
    if progress is None or not progress.total:
        return "Reading the wiki …"
    return f"Reading the wiki: {progress.done:,} of {progress.total:,} pages …"


def explanation(hit: Hit) -> Content:
    """Why a page ranks where it does, part by part."""
    parts = [part for part in hit.parts if part.points]
    lines = [Content("Why it is here").stylize("bold")]
    if not parts:
        lines.append(Content("The query has no words to weigh: the newest pages come first."))
    lines += _bars([(part.name, part.points, part.words) for part in parts])
    if parts:
        lines.append(Content(f"{hit.score:.2f} points in all").stylize(_MUTED))
    return Content("\n").join(lines)


def _bars(parts: list[tuple[str, float, tuple[str, ...]]]) -> Iterator[Content]:
    most = max((points for _, points, _ in parts), default=1.0)
    for name, points, words in parts:
        bar = "▇" * max(1, round(_BAR_CELLS * points / most))
        yield Content.assemble(
            Content(f"{points:5.2f} "),
            Content(bar.ljust(_BAR_CELLS)).stylize("$text-accent"),
            f" {_PARTS.get(name, to_line(name))}",
        )
        if words:
            yield Content.assemble("      ", literal_line(", ".join(words)).stylize(_MUTED))
