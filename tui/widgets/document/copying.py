"""What is copied of a selection: the text of the blocks, not the lines they were broken into."""

from __future__ import annotations

from textual.geometry import Offset
from textual.selection import Selection

from tui.document.flow import Flow
from tui.document.layout.prose import RETURN_SIGN
from tui.document.lines import Line


def selected_text(flow: Flow, selection: Selection) -> str:
    """The selected text; a list item has its mark, blocks are apart as on the screen."""
    start = selection.start or Offset(0, 0)
    end = selection.end or Offset(1 << 30, max(flow.height - 1, 0))
    first, last = flow.block_at(start.y), flow.block_at(end.y)
    pieces: list[str] = []
    for index in range(first, last + 1):
        if flow.is_hidden(index):
            continue
        laid = flow.laid(index)
        begin = _position(flow, index, start) if index == first else 0
        until = _position(flow, index, end) if index == last else len(laid.text)
        text = laid.text[begin:until].removesuffix(f" {RETURN_SIGN}")
        block = flow.document.blocks[index]
        if not text:
            continue
        if pieces:
            pieces.append("\n\n" if block.gap else "\n")
        pieces.append(f"{block.mark}{text}" if begin == 0 else text)
    return "".join(pieces)


def _position(flow: Flow, index: int, place: Offset) -> int:
    """Where in a block's text a place of the screen is."""
    found = flow.line(place.y)
    if found is None or found[0] != index:
        return len(flow.laid(index).text)
    line: Line = found[1]
    return line.start + min(max(place.x - line.margin, 0), len(line.text) - line.margin)
