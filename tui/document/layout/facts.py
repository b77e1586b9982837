"""Names and values in two columns, beside a bar."""

from __future__ import annotations

import re

from rich.cells import cell_len

from tui.document.blocks import FactsBody
from tui.document.inline import read_inline
from tui.document.layout.flow_text import Sheet
from tui.document.lines import Run, Runs
from tui.document.page import Page
from tui.document.roles import Role

WIDEST_KEY = 18
LEAST_VALUE_CELLS = 12
_LINK = re.compile(r"(\[\[[^\[\]\n]{1,2000}\]\])")


def lay_facts(sheet: Sheet, body: FactsBody, page: Page) -> None:
    """The rows of an infobox or of the properties; a value too narrow stands below its name."""
    sheet.ground = Role.BOX
    keys = [" ".join(key.split()) for key, _ in body.facts]
    widest = min(max(map(cell_len, keys)), WIDEST_KEY)
    bar = (Run("│ ", (Role.RULE,)),)
    is_wide = sheet.text_width - widest - 4 >= LEAST_VALUE_CELLS
    for key, (_, value) in zip(keys, body.facts, strict=True):
        runs = _value(value, body, page, sheet)
        if is_wide and cell_len(key) <= widest:
            name = Run(key + " " * (widest - cell_len(key) + 2), (Role.FACT_KEY,))
            sheet.write(runs, (*bar, Run(" " * (widest + 2))), (*bar, name))
            continue
        sheet.write((Run(key, (Role.FACT_KEY,)),), bar, bar)
        indent = (*bar, Run("  "))
        sheet.write(runs, indent, indent)


def _value(value: str, body: FactsBody, page: Page, sheet: Sheet) -> Runs:
    """A value of the infobox is Markdown; of a property only the links mean anything."""
    if not body.is_literal:
        return read_inline(value, page, sheet.targets)
    runs: list[Run] = []
    for piece in _LINK.split(value):
        if _LINK.fullmatch(piece):
            runs += read_inline(piece, page, sheet.targets)
        elif piece:
            runs.append(Run(piece.replace("\t", "  ")))
    return tuple(runs)
