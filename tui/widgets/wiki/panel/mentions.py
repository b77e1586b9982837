"""Where other pages name the open one without a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from tui.widgets.wiki.panel.backlinks import line_row, page_row
from tui.widgets.wiki.panel.rows import Filled, Row, said
from vault.graph.mentions import Mention
from vault.names import displayable, stem_of, title_of


def mention_rows(mentions: Sequence[Mention]) -> Filled:
    """By page; the key that links one stands in the footer."""
    if not mentions:
        return said("Nobody mentions this page without a link.")
    rows: list[Row] = []
    for path, found in groupby(mentions, lambda mention: mention.path):
        on_page = tuple(found)
        rows.append(page_row(title_of(stem_of(displayable(path))), path, len(on_page)))
        rows += [replace(line_row(each.context, path, each.line), mention=each) for each in on_page]
    return Filled(tuple(rows), len(mentions), 1)
