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
    PictureBody,
    ProseBody,
    TableBody,
)
from tui.document.page import FoundPicture
from tui.pictures.source import PictureSource, cells_of


def opened_group(block: Block) -> int | None:
    """The group that a block folds, if it folds one."""
    body = block.body
    return body.group if isinstance(body, HeadingBody | CalloutBody) else None


def expected_lines(block: Block, room: int) -> int:
    """About how many lines a block takes in a line of `room` cells."""
    match block.body:
        case ProseBody(source=source):
            lines = 1 + cell_len(source) // room
        case CodeBody(first=first, end=end) | TableBody(first=first, end=end):
            lines = end - first + (first == 0)
        case LiteralBody(text=text):
            lines = 1 + text.count("\n")
        case FactsBody(facts=facts):
            lines = len(facts)
        case HeadingBody(level=level):
            lines = 1 + (level <= 2)
        case PictureBody(width=width, found=FoundPicture(source=PictureSource() as source)):
            lines = cells_of(source, width, room)[1] + 1
        case _:
            lines = 1
    return lines
