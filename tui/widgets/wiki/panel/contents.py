"""The headings of the open article."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.text.content import literal_line
from tui.widgets.wiki.panel.rows import Filled, GoToHeading, Row, said
from vault.article.headings import Heading
from vault.article.page import parse_article

_INDENT = 2


def read_headings(text: str) -> tuple[Heading, ...]:
    """The headings of a page in order."""
    return parse_article(text).headings


def contents_rows(headings: Sequence[Heading], here: str = "") -> Filled:
    """The table of contents; the heading with the anchor `here` is the one that is read."""
    if not headings:
        return said("No headings.")
    top = min(heading.level for heading in headings)
    rows = tuple(_row(heading, heading.level - top, heading.anchor == here) for heading in headings)
    places = [at for at, heading in enumerate(headings) if heading.anchor == here]
    return Filled(rows, len(rows), places[0] if places else 0)


def _row(heading: Heading, depth: int, is_here: bool) -> Row:
    mark = "▸ " if is_here else "  "
    style = "bold $article-title" if is_here else "" if depth else "bold"
    text = Content.assemble(mark, " " * _INDENT * depth, literal_line(heading.title))
    return Row(text.stylize(style), GoToHeading(heading.anchor))
