"""Checks that the index answers, for all pages at once."""

from collections.abc import Iterator
from typing import Any

from vault.graph.graph import Graph
from vault.index.index import Index
from vault.lint.finding import Finding
from vault.names import identity_key

OVERSIZE_BYTES = 200_000


def check_wiki(index: Index) -> Iterator[Finding]:
    """Wanted, orphaned and dead-end pages, double redirects, twins, what is large or unreadable."""
    graph = Graph(index)
    yield from _wanted(index)
    for path in graph.orphans():
        yield Finding("orphaned", path, 0, "no other page links here")
    for path in graph.dead_ends():
        yield Finding("dead-end", path, 0, "it links to no other page")
    yield from _double_redirects(index)
    yield from _duplicate_titles(index)
    yield from _sizes(index)


def _wanted(index: Index) -> Iterator[Finding]:
    for path, line, target in _rows(
        index,
        "SELECT page.path, link.line, link.target FROM link JOIN page ON page.id = link.page"
        " WHERE state = 'wanted' AND NOT is_excluded ORDER BY page.path, link.start",
    ):
        yield Finding("wanted", path, line, f"there is no page “{target}”")


def _double_redirects(index: Index) -> Iterator[Finding]:
    for path, line, other, target in _rows(
        index,
        "SELECT page.path, link.line, other.path, other.redirect FROM page"
        " JOIN link ON link.page = page.id AND link.target = page.redirect"
        " JOIN page other ON other.id = link.leads_to AND other.redirect <> ''"
        " WHERE page.redirect <> '' AND other.id <> page.id ORDER BY page.path",
    ):
        message = f"it redirects to {other}, which redirects to “{target}”"
        yield Finding("double-redirect", path, line, message)


def _duplicate_titles(index: Index) -> Iterator[Finding]:
    by_key: dict[str, list[str]] = {}
    for path, name in _rows(
        index,
        "SELECT page.path, name.text FROM name JOIN page ON page.id = name.page"
        " WHERE name.kind <> 'alias' AND NOT is_excluded ORDER BY page.path",
    ):
        key = identity_key(name).replace("_", " ")
        paths = by_key.setdefault(key, [])
        if path not in paths:
            paths.append(path)
    for key, paths in by_key.items():
        for path in paths[1:]:
            yield Finding("duplicate-title", path, 0, f"{paths[0]} is called “{key}” too")


def _sizes(index: Index) -> Iterator[Finding]:
    for path, size, problem in _rows(
        index,
        f"SELECT path, size, problem FROM page WHERE size > {OVERSIZE_BYTES} OR problem <> ''"
        " ORDER BY path",
    ):
        if problem:
            yield Finding("unreadable", path, 0, problem)
        else:
            message = f"it has {size // 1000:,} KB; divide it into several pages"
            yield Finding("oversize", path, 0, message)


def _rows(index: Index, query: str) -> list[Any]:
    with index.reading() as connection:
        return connection.execute(query).fetchall()
