"""Any block at any width."""

from __future__ import annotations

from typing import assert_never

from tui.document.blocks import (
    Block,
    CalloutBody,
    CodeBody,
    EmbedBody,
    FactsBody,
    HeadingBody,
    LiteralBody,
    PictureBody,
    ProseBody,
    RuleBody,
    TableBody,
)
from tui.document.layout.code import lay_code
from tui.document.layout.facts import lay_facts
from tui.document.layout.flow_text import Sheet, fitted, rule
from tui.document.layout.picture import lay_picture
from tui.document.layout.prose import (
    lay_callout,
    lay_embed,
    lay_heading,
    lay_literal,
    lay_prose,
)
from tui.document.layout.table import lay_table
from tui.document.lines import Laid


def lay(block: Block, width: int, *, is_folded: bool = False) -> Laid:
    """The lines of a block; `is_folded` tells whether the group it opens is folded."""
    sheet = Sheet(max(width, 1), fitted(block.margin, width))
    sheet.gap(block.gap)
    match block.body:
        case HeadingBody() as body:
            lay_heading(sheet, body, block.page, is_folded=is_folded)
        case ProseBody() as body:
            lay_prose(sheet, body, block.page, block.line)
        case LiteralBody() as body:
            lay_literal(sheet, body)
        case CodeBody() as body:
            lay_code(sheet, body)
        case TableBody() as body:
            lay_table(sheet, body, block.page)
        case FactsBody() as body:
            lay_facts(sheet, body, block.page)
        case CalloutBody() as body:
            lay_callout(sheet, body, block.page, is_folded=is_folded)
        case PictureBody() as body:
            lay_picture(sheet, body, block.page)
        case EmbedBody() as body:
            lay_embed(sheet, body, block.page)
        case RuleBody():
            sheet.draw(rule("─", sheet.text_width))
        case _:
            assert_never(block.body)
    return sheet.laid()
