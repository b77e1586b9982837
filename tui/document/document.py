"""A page read from its text: its blocks, its headings and its notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tui.document.blocks import Block, CodeBody, HeadingBody, ProseBody
from tui.document.build import Builder
from tui.document.containers import GroupIds
from tui.document.embeds import EmbedReader
from tui.document.page import Library, NoLibrary, Page
from tui.document.properties import property_blocks
from tui.document.reading import clean_text, fill, infobox_facts
from vault.article.page import Article, parse_article


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A heading of the page: what a list of contents shows, and where it is.

    `line` is counted from 0 in the file, `block` is its place among the blocks.
    """

    level: int
    text: str
    anchor: str
    line: int
    block: int


@dataclass(frozen=True)
class Document:
    """A page ready to be laid out. `folded` are the groups that are folded at first."""

    path: str
    blocks: tuple[Block, ...]
    article: Article
    folded: frozenset[int]

    @cached_property
    def headings(self) -> tuple[OutlineEntry, ...]:
        """The headings of the page itself, with the anchors links have for them."""
        places = {
            block.line: index
            for index, block in enumerate(self.blocks)
            if isinstance(block.body, HeadingBody) and block.page.path == self.path
        }
        return tuple(
            OutlineEntry(each.level, each.title, each.anchor, each.line, places[each.line])
            for each in self.article.headings
            if each.line in places
        )

    def languages(self, blocks: int) -> tuple[str, ...]:
        """The languages of the code in the first blocks, the first one first."""
        bodies = (block.body for block in self.blocks[:blocks])
        found = (body.code.language for body in bodies if isinstance(body, CodeBody))
        return tuple(dict.fromkeys(language for language in found if language))

    def block_of(self, fragment: str) -> int | None:
        """The block that a link's fragment names: an anchor, a heading's text, or `^block`."""
        if fragment.startswith("^"):
            return next((i for i, _ in self._with_source(f" {fragment}")), None)
        found = self.article.find_heading(fragment)
        if found is None:
            return None
        return next((each.block for each in self.headings if each.line == found.line), None)

    def note(self, id: str) -> int | None:
        """The block that holds a footnote."""
        blocks = enumerate(self.blocks)
        return next(
            (i for i, b in blocks if isinstance(b.body, ProseBody) and b.body.note == id), None
        )

    def note_mark(self, id: str) -> int | None:
        """The first block with a footnote's mark."""
        return next((i for i, _ in self._with_source(f"[^{id}]")), None)

    def _with_source(self, piece: str) -> Iterator[tuple[int, Block]]:
        for index, block in enumerate(self.blocks):
            body = block.body
            if isinstance(body, HeadingBody | ProseBody) and piece in body.source:
                yield index, block


def read_document(text: str, path: str = "", library: Library | None = None) -> Document:
    """Read a page. Call it in a thread unless the text is short; `library` may read files."""
    wiki = library or NoLibrary()
    clean = clean_text(text)
    article = parse_article(clean)
    ids = GroupIds()
    page = Page(path, wiki)
    builder = Builder(
        embedder=EmbedReader((path,), ids), page=page, ids=ids, facts=infobox_facts(article)
    )
    builder.blocks += property_blocks(article, page)
    front = article.layout.front_lines
    body = "\n" * front + clean[article.layout.lines.start(front) :]
    fill(builder, body)
    return Document(path, tuple(builder.blocks), article, frozenset(ids.folded))
