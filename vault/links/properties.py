"""Wikilinks in the front matter. As in Obsidian they count only within quotes."""

import re
from collections.abc import Iterator
from dataclasses import replace

from vault.article.blocks import Layout
from vault.links.link import Link
from vault.links.wikilink import read_wikilink, wikilinks_in

_QUOTED = re.compile(
    r"(?:^|[:,\[{-])[ \t]*(\"(?:[^\"\\\r\n]|\\.)*\"|'(?:[^'\r\n]|'')*')(?=[ \t]*(?:$|[,\]}#:]))"
)
_ESCAPED = re.compile(r"\\(.)")


def front_matter_links(layout: Layout) -> Iterator[Link]:
    """Find them, in order; none where the front matter is not closed."""
    for line in range(1, layout.front_lines - 1):
        written = layout.lines.content(line)
        if "[[" not in written or written.lstrip(" \t").startswith("#"):
            continue
        for quoted in _QUOTED.finditer(written):
            yield from _links_in(layout, layout.lines.start(line), quoted)


def _links_in(layout: Layout, offset: int, quoted: re.Match[str]) -> Iterator[Link]:
    start, end = quoted.span(1)
    for found in wikilinks_in(layout.text, offset + start, offset + end):
        link = read_wikilink(layout.text, found, "property")
        if link is not None:
            quote = quoted.group(1)[0]
            yield replace(
                link,
                target=unquoted(link.target, quote),
                fragment=None if link.fragment is None else unquoted(link.fragment, quote),
                label=unquoted(link.label, quote),
            )


def unquoted(text: str, quote: str) -> str:
    """Return what a part of a quoted scalar means."""
    return text.replace("''", "'") if quote == "'" else _ESCAPED.sub(r"\1", text)


def quoted_part(text: str, quote: str) -> str:
    """Spell `text` as a part of a scalar in these quotes."""
    if quote == "'":
        return text.replace("'", "''")
    return text.replace("\\", "\\\\").replace('"', '\\"')


def quote_around(text: str, link: Link) -> str:
    """Return the quote that the scalar of a property link began with."""
    line_start = max(text.rfind("\n", 0, link.start), text.rfind("\r", 0, link.start)) + 1
    line = text[line_start : link.end + 1]
    before = link.start - line_start
    for quoted in _QUOTED.finditer(text[line_start : _line_end(text, link.end)]):
        if quoted.start(1) <= before < quoted.end(1):
            return quoted.group(1)[0]
    return '"' if '"' in line else "'"


def _line_end(text: str, offset: int) -> int:
    ends = [found for mark in "\r\n" if (found := text.find(mark, offset)) >= 0]
    return min(ends, default=len(text))
