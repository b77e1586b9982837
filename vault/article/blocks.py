"""The blocks of a page, from markdown-it's block parser, placed by our own line table.

markdown-it counts lines after turning CRLF and CR into LF and NUL into U+FFFD. Both keep the
number of lines, so its line numbers are ours; its offsets are not, and none of them is used.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from vault.article.lines import LineTable, line_table, with_breaks

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FENCES = {"---", "..."}
_SHOWN_HTML = 64
_PROSE_START = r"^((?:[^\w\n#`~<]|\d)*+[^\W\d_])"
_PROSE_LINE = re.compile(rf"{_PROSE_START}[^\n]+", re.MULTILINE)
_PROSE_LINE_WITHOUT_HTML = re.compile(rf"{_PROSE_START}[^\n>]+$", re.MULTILINE)
# What may be a heading of the lines above it.
_UNDERLINED = re.compile(r"\n(?<!\n\n)[ \t>]*(?:=+|-+)[ \t]*$", re.MULTILINE)


class BlockKind(Enum):
    """What a block is."""

    HEADING = auto()
    PARAGRAPH = auto()
    FENCE = auto()
    INDENTED_CODE = auto()
    HTML = auto()
    RULE = auto()
    QUOTE = auto()
    LIST = auto()


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


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its lines are `first` up to and not including `end`.

    `depth` is 0 outside quotes and lists. `level` is that of a heading. `content` is the source
    of a heading, the info string of a fence or the first line of HTML; `marks` is what a fence
    was opened with.
    """

    kind: BlockKind
    first: int
    end: int
    depth: int
    level: int = 0
    content: str = ""
    marks: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """A text with its lines and blocks. `front_lines` lines of front matter come first."""

    lines: LineTable
    front_lines: int
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return self.lines.text

    def span(self, block: Block) -> tuple[int, int]:
        """Return the offsets of a block's lines, the last line break included."""
        return self.lines.start(block.first), self.lines.start(block.end)

    def top_level(self, kind: BlockKind) -> Iterator[Block]:
        """Yield the blocks of one kind that are in no quote or list."""
        return (block for block in self.blocks if block.depth == 0 and block.kind is kind)

    def is_closed(self, fence: Block) -> bool:
        """Tell whether a top-level fence has a closing line, or runs on to the end of the page."""
        if fence.end - fence.first < 2:
            return False
        last = self.lines.content(fence.end - 1).strip(" \t")
        return len(last) >= len(fence.marks) and not last.strip(fence.marks[0])


def read_layout(text: str) -> Layout:
    """Read the blocks of a page; never fails, in time that grows with its length."""
    lines = line_table(text)
    front_lines = _front_lines(lines)
    tokens: list[Token] = []
    # The front matter is blank to the parser; its line breaks stay.
    body = "\n" * front_lines + with_breaks(text[lines.start(front_lines) :], "\n")
    shortened = _shortened(body.replace("\0", "\ufffd"))
    _parser().block.parse(shortened, _parser(), {}, tokens)
    return Layout(lines, front_lines, tuple(_blocks(tokens, lines.count)))


def _shortened(body: str) -> str:
    """Cut lines that begin as prose after their first letter; the blocks stay what they are.

    The parser takes time for every character. What follows the first letter of a line matters to
    it only in headings, fences, raw HTML and link definitions.
    """
    if "]:" in body or _UNDERLINED.search(body):
        return body
    return (_PROSE_LINE_WITHOUT_HTML if "<" in body else _PROSE_LINE).sub(r"\1", body)


def _front_lines(lines: LineTable) -> int:
    """Return how many lines the front matter takes, its fences included; 0 without one."""
    if not lines.count or lines.content(0).removeprefix("\ufeff").rstrip(" \t") != "---":
        return 0
    for line in range(1, lines.count):
        if lines.content(line).rstrip(" \t") in _FENCES:
            return line + 1
    return 0


def _blocks(tokens: "list[Token]", line_count: int) -> Iterator[Block]:
    for index, token in enumerate(tokens):
        kind = _KINDS.get(token.type)
        if kind is None or token.map is None:
            continue
        first, end = min(token.map[0], line_count), min(token.map[1], line_count)
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


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
