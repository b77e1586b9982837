"""The passages of a page with their texts, as the index knows them or read anew."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from vault.article.page import parse_article
from vault.index.facts import passages_of
from vault.index.rows import SEPARATOR
from vault.search.passages import Stretch


def indexed_stretches(connection: apsw.Connection, page: int, text: str) -> Iterator[Stretch]:
    """Those of a page whose text is what was indexed."""
    for start, end, line, path, anchor in connection.execute(
        "SELECT start, end, line, heading_path, anchor FROM passage WHERE page = ? ORDER BY start",
        (page,),
    ):
        headings = tuple(path.split(SEPARATOR)) if path else ()
        yield Stretch(text[start:end], line, headings, anchor)


def stretches_anew(text: str) -> Iterator[Stretch]:
    """Those of a page that has changed since it was indexed."""
    for each in passages_of(parse_article(text)):
        yield Stretch(text[each.start : each.end], each.line, each.heading_path, each.anchor)
