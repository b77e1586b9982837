"""The head of a table whose rows go on above the window."""

from __future__ import annotations

from tui.document.blocks import TableBody
from tui.document.flow import Flow
from tui.document.lines import Line
from tui.document.sideways import part_in_sight


def drawn_line(flow: Flow | None, top: int, y: int) -> tuple[int, Line, bool] | None:
    """The block and the line that a window shows at `y`; None below the end.

    The last is whether that line is the head of a table, in place of line `top` of the document.
    """
    found = flow.line(top + y) if flow else None
    if found is None or flow is None:
        return None
    head = _header_above(flow, found[0], top) if y == 0 else None
    return (*found, False) if head is None else (*head, True)


def _header_above(flow: Flow, index: int, number: int) -> tuple[int, Line] | None:
    """The head of the table that has line `number`, and its block.

    None where the head is in sight, takes several lines, or no row would be left below it.
    """
    body = flow.document.blocks[index].body
    if not isinstance(body, TableBody):
        return None
    first = index
    while first > 0 and body.first > 0:
        first -= 1
        body_before = flow.document.blocks[first].body
        if not isinstance(body_before, TableBody) or body_before.table is not body.table:
            return None
        if body_before.first == 0:
            break
    laid = flow.laid(first)
    head, rule = flow.document.blocks[first].gap, _rule_of(flow, first)
    below = flow.line(number + 1)
    if rule != head + 1 or number <= flow.text_top(first) or not _is_same(flow, below, body):
        return None
    line = laid.lines[head]
    return first, part_in_sight(line, laid.wide, flow.shift_of(first)) if laid.wide else line


def _rule_of(flow: Flow, index: int) -> int:
    """The place of the rule below the head among the lines of a table's first block."""
    lines = flow.laid(index).lines
    blank = flow.document.blocks[index].gap
    return next((i for i in range(blank, len(lines)) if "┼" in lines[i].text), -1)


def _is_same(flow: Flow, found: tuple[int, Line] | None, body: TableBody) -> bool:
    if found is None:
        return False
    other = flow.document.blocks[found[0]].body
    return isinstance(other, TableBody) and other.table is body.table
