"""The blocks of a page, placed by our own line table.

The parser counts lines after turning CRLF and CR into LF and NUL into U+FFFD. Both keep the
number of lines, so its line numbers are ours; its offsets are not, and none of them is used.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from vault.article.block import Block, BlockKind
from vault.article.block_scan import read_blocks
from vault.article.lines import LineTable, line_table, with_breaks

_FENCES = {"---", "..."}


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
    body = with_breaks(text[lines.start(front_lines) :], "\n").replace("\0", "\ufffd")
    return Layout(lines, front_lines, tuple(read_blocks(body, front_lines, lines.count)))


def _front_lines(lines: LineTable) -> int:
    """Return how many lines the front matter takes, its fences included; 0 without one."""
    if not lines.count or lines.content(0).removeprefix("\ufeff").rstrip(" \t") != "---":
        return 0
    for line in range(1, lines.count):
        if lines.content(line).rstrip(" \t") in _FENCES:
            return line + 1
    return 0
