"""From link to link through a document, laying out what is passed."""

from __future__ import annotations

from collections.abc import Iterator

from tui.document.flow import Flow
from tui.document.lines import NO_LINK
from tui.document.targets import CodeCopy
from tui.widgets.document.hints import LinkPlace


def next_link(flow: Flow, from_place: LinkPlace, *, forward: bool) -> LinkPlace | None:
    """The link after a place in reading order, or the one before it; copy marks are passed over."""
    block, number = from_place
    count = len(flow.document.blocks)
    for index in range(block, count) if forward else range(block, -1, -1):
        if flow.is_hidden(index):
            continue
        links = _links(flow, index)
        if index == block:
            links = [each for each in links if (each > number if forward else each < number)]
        if links:
            return index, links[0] if forward else links[-1]
    return None


def links_of_lines(lines: Iterator[tuple[int, int, object]], flow: Flow) -> list[LinkPlace]:
    """The links that begin on some lines, each once."""
    found: dict[LinkPlace, None] = {}
    for number, block, _line in lines:
        line = flow.line(number)
        if line is not None:
            for run in line[1].runs:
                if run.link != NO_LINK:
                    found.setdefault((block, run.link))
    return list(found)


def link_line(flow: Flow, place: LinkPlace) -> int:
    """The line that a link begins on."""
    block, link = place
    lines = flow.laid(block).lines
    inner = next((i for i, each in enumerate(lines) if any(r.link == link for r in each.runs)), 0)
    return flow.top(block) + inner - (len(lines) - flow.lines_of(block))


def _links(flow: Flow, index: int) -> list[int]:
    laid = flow.laid(index)
    shown = {run.link for line in laid.lines for run in line.runs if run.link != NO_LINK}
    return sorted(link for link in shown if not isinstance(laid.targets[link], CodeCopy))
