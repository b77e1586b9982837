"""What a block lets expect before it is laid out."""

from __future__ import annotations

from rich.cells import cell_len

from tui.document.blocks import (
    Block,
    CalloutBody,
    CodeBody,
    FactsBody,
    HeadingBody,
    LiteralBody,
    ProseBody,
    TableBody,
)


def opened_group(block: Block) -> int | None:
    """The group that a block folds, if it folds one."""
    body = block.body
    return body.group if isinstance(body, HeadingBody | CalloutBody) else None


def expected_lines(block: Block, room: int) -> int:
    """About how many lines a block takes in a line of `room` cells."""
    match block.body:
        case ProseBody(source=source):
            return 1 + cell_len(source) // room
        case CodeBody(first=first, end=end) | TableBody(first=first, end=end):
            return end - first + (first == 0)
        case LiteralBody(text=text):
            return 1 + text.count("\n")
        case FactsBody(facts=facts):
            return len(facts)
        case HeadingBody(level=level):
            return 1 + (level <= 2)
        case _:
            return 1
