"""The headings of a page with the text they show and the anchors they are linked by."""

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vault.anchors import heading_slug, unique_slug
from vault.article.block import BlockKind
from vault.article.blocks import Layout

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_WIKILINK = re.compile(r"!?\[\[([^\[\]|\r\n]*)(?:\|([^\[\]\r\n]*))?\]\]")
_MARKS = re.compile(r"[*_`\[\]\\<&!]")
# Emphasis in a longer heading is not looked into; the inline parser could be made to take long.
_LONGEST_PARSED = 1000


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. It takes the characters from `start` to `end`, its line breaks included.

    `source` is its text as written, `title` as shown. `is_nested` marks one inside a quote or a
    list: it has an anchor but starts no section.
    """

    level: int
    source: str
    title: str
    anchor: str
    line: int
    start: int
    end: int
    is_nested: bool


def read_headings(layout: Layout) -> tuple[Heading, ...]:
    """Return the headings in order, setext headings and those in quotes and lists included."""
    emitted: dict[str, int] = {}
    found = []
    for block in layout.blocks:
        if block.kind is BlockKind.HEADING:
            start, end = layout.span(block)
            text = _text(block.content)
            anchor = unique_slug(heading_slug(text), emitted)
            found.append(
                Heading(
                    block.level,
                    block.content,
                    text.strip(),
                    anchor,
                    block.first,
                    start,
                    end,
                    is_nested=block.depth > 0,
                )
            )
    return tuple(found)


def shown_title(source: str) -> str:
    """Return the text a heading shows: links by their label, without emphasis and code marks."""
    return _text(source).strip()


def _text(source: str) -> str:
    """The same with the spaces that were written as references, which count in anchors."""
    if not _MARKS.search(source) or len(source) > _LONGEST_PARSED:
        return " ".join(source.split("\n"))
    plain = _WIKILINK.sub(lambda found: (found[2] or found[1]).strip(), source)
    (inline,) = _inline_parser().parseInline(plain)
    texts = {"text", "code_inline", "image", "text_special"}
    pieces = (
        " " if token.type in {"softbreak", "hardbreak"} else token.content
        for token in inline.children or ()
        if token.type in texts or token.type.endswith("break")
    )
    return "".join(pieces)


@functools.cache
def _inline_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    class TextParser(MarkdownIt):
        """Leaves the addresses of links alone: only the texts are wanted."""

        def normalizeLink(self, url: str) -> str:  # noqa: N802  (the library's name)
            return url

        def validateLink(self, url: str) -> bool:  # noqa: N802  (the library's name)
            return True

    return TextParser("commonmark")
