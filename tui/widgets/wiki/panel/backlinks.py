"""The links of other pages to the open one, each with the line it is on."""

from __future__ import annotations

from itertools import groupby

from textual.content import Content

from tui.text.content import literal_line
from tui.widgets.wiki.panel.rows import Filled, OpenPage, Row, said
from vault.graph.around import Incoming, IncomingLinks

_MOST_CELLS = 300


def backlink_rows(found: IncomingLinks) -> Filled:
    """By page, with counts."""
    if not found.links:
        return said("No page links here.")
    rows: list[Row] = []
    for _, links in groupby(found.links, lambda link: link.path):
        rows += _of_page(tuple(links))
    hidden = found.pages - len({link.path for link in found.links})
    if hidden > 0:
        rows.append(Row(Content.styled(f"… and {hidden:,} more pages", "$foreground-muted")))
    return Filled(tuple(rows), len(found.links))


def page_row(title: str, path: str, count: int) -> Row:
    """The line of a page above what was found on it."""
    number = Content.styled(f" {count:,}", "$foreground-muted") if count > 1 else ""
    text = Content.assemble(literal_line(title).stylize("$memory-link"), number)
    return Row(text, OpenPage(path))


def line_row(context: str, path: str, line: int) -> Row:
    """A line of a page."""
    shown = literal_line(context, _MOST_CELLS).stylize("$foreground-muted")
    return Row(Content.assemble("  ", shown), OpenPage(path, line))


def _of_page(links: tuple[Incoming, ...]) -> list[Row]:
    first = links[0]
    # A line with two links is shown once.
    lines = {link.line: link for link in links}
    rows = [page_row(first.title, first.path, len(links))]
    return rows + [line_row(link.context, link.path, link.line) for link in lines.values()]
