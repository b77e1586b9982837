"""Blocks as markdown-it finds them, which takes time for every line and rule."""

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vault.article.block import Block, BlockKind

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SHOWN_HTML = 64
_PROSE_START = r"^((?:[^\w\n#`~<]|\d)*+[^\W\d_])"
_PROSE_LINE = re.compile(rf"{_PROSE_START}[^\n]+", re.MULTILINE)
_PROSE_LINE_WITHOUT_HTML = re.compile(rf"{_PROSE_START}[^\n>]+$", re.MULTILINE)
# What may be a heading of the lines above it.
_UNDERLINED = re.compile(r"\n(?<!\n\n)[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)
_KINDS = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "fence": BlockKind.FENCE,
    "code_block": BlockKind.INDENTED_CODE,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.RULE,
    "blockquote_open": BlockKind.QUOTE,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
}


def parse_blocks(source: str, first_line: int, line_count: int) -> Iterator[Block]:
    """Yield the blocks of a source with LF only, whose first line is `first_line` of its page."""
    tokens: list[Token] = []
    _parser().block.parse(_shortened(source), _parser(), {}, tokens)
    for index, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None:
            continue
        first, end = (min(first_line + line, line_count) for line in token.map)
        match kind:
            case BlockKind.HEADING:
                level, content = int(token.tag[1:]), tokens[index + 1].content
                yield Block(kind, first, end, token.level, level, content)
            case BlockKind.FENCE:
                yield Block(kind, first, end, token.level, 0, token.info.strip(), token.markup)
            case BlockKind.HTML:
                shown = token.content.partition("\n")[0][:_SHOWN_HTML]
                yield Block(kind, first, end, token.level, 0, shown)
            case _:
                yield Block(kind, first, end, token.level)


def _shortened(source: str) -> str:
    """Cut lines that begin as prose after their first letter; the blocks stay what they are.

    The parser takes time for every character. What follows the first letter of a line matters to
    it only in headings, fences, raw HTML and link definitions.
    """
    if "]:" in source or _UNDERLINED.search(source):
        return source
    return (_PROSE_LINE_WITHOUT_HTML if "<" in source else _PROSE_LINE).sub(r"\1", source)


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
