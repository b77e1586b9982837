"""Moves tables that are wider than the text to the left and back."""

from __future__ import annotations

from tui.document.blocks import TableBody
from tui.document.flow import Flow
from tui.document.lines import NO_LINK
from tui.document.sideways import cells_before, shift_to_show


def move(flow: Flow, index: int, shift: int) -> bool:
    """Move a block, and with it all of its table, by so many cells; whether anything changed."""
    body, wide = flow.document.blocks[index].body, flow.laid(index).wide
    if wide is None or not isinstance(body, TableBody):
        return False
    shift = max(0, min(shift, wide.most))
    is_new = shift != flow.shift_of(index)
    flow.shifts[body.table] = shift
    return is_new


def bring_text_in(flow: Flow, index: int, start: int, end: int) -> None:
    """Move a block so that its text from `start` to `end` is in sight."""
    laid = flow.laid(index)
    lines = [each for each in laid.lines if each.start <= start and each.margin < len(each.text)]
    if laid.wide is None or not lines:
        return
    line, fixed = lines[-1], laid.wide.fixed
    first, last = (
        cells_before(line, fixed, line.margin + place - line.start) for place in (start, end)
    )
    move(flow, index, shift_to_show(flow.shift_of(index), laid.wide, first, last))


def bring_link_in(flow: Flow, index: int, link: int) -> None:
    """Move a block so that one of its links is in sight."""
    laid = flow.laid(index)
    if laid.wide is None or link == NO_LINK:
        return
    for line in laid.lines:
        done = 0
        for run in line.runs:
            if run.link == link:
                first = cells_before(line, laid.wide.fixed, done)
                last = cells_before(line, laid.wide.fixed, done + len(run.text))
                move(flow, index, shift_to_show(flow.shift_of(index), laid.wide, first, last))
                return
            done += len(run.text)
