"""The properties of a page as a block of their own: what cannot be read is shown as written."""

from __future__ import annotations

from collections.abc import Iterator

from tui.document.blocks import Block, FactsBody, LiteralBody
from tui.document.page import Page
from tui.document.roles import Role
from tui.document.tables import code_pieces, read_code
from vault.article.front_matter import FrontMatter
from vault.article.page import Article
from vault.article.properties import Property, Style

_NOTHING = "—"


def property_blocks(article: Article, page: Page) -> Iterator[Block]:
    """The blocks for the front matter of a page; none without one."""
    found = article.front_matter
    if found is None:
        return
    if found.problem is None and found.properties:
        facts = tuple((each.key, _value(article, each)) for each in found.properties)
        yield Block(FactsBody(facts, is_literal=True), page, 0)
        return
    yield from _as_written(article, found, page)


def _as_written(article: Article, found: FrontMatter, page: Page) -> Iterator[Block]:
    text = article.text[article.layout.lines.start(1) : found.inner_end]
    if found.problem:
        note = f"The properties cannot be edited here: {found.problem}"
        yield Block(LiteralBody(note, (Role.QUIET,)), page, 0)
    if text.strip():
        for piece in code_pieces(read_code("yaml", text)):
            yield Block(piece, page, piece.first + 1, gap=0)


def _value(article: Article, each: Property) -> str:
    match each.style:
        case Style.NESTED:
            return article.text[each.value_start : each.end].strip("\n")
        case Style.SCALAR | Style.FLOW_LIST | Style.BLOCK_LIST:
            return " · ".join(" ".join(text.split()) for text in each.texts) or _NOTHING
