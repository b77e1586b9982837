"""Tables: columns as wide as they need, or narrower; wider than the text where there is no room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from tui.document.blocks import Align, Table, TableBody
from tui.document.inline import read_inline
from tui.document.layout.flow_text import Sheet
from tui.document.lines import Run, Runs, cut, runs_cells, with_roles
from tui.document.page import Page
from tui.document.roles import Role
from tui.document.wrap import wrap

# What a column has at least, if it needs it; what does not fit so is wider than the text.
LEAST_COLUMN = 8
MOST_WIDE_COLUMN = 36
# The first cells tell how wide the columns are; the length of what is written tells for the rest.
MOST_MEASURED_CELLS = 400
_BETWEEN = Run(" │ ", (Role.RULE,))
_BETWEEN_CELLS = 3


def lay_table(sheet: Sheet, body: TableBody, page: Page) -> None:
    """One piece of a table."""
    table = body.table
    widths = _widths(table, page, sheet.text_width)
    sheet.widest = sum(widths) + _BETWEEN_CELLS * (len(widths) - 1)
    for number in range(body.first, body.end):
        roles = (Role.TABLE_HEAD,) if number == 0 else ()
        cells = [
            with_roles(read_inline(source, page, sheet.targets), *roles)
            for source in table.rows[number]
        ]
        for line in _row_lines(cells, widths, table.aligns):
            text = "".join(run.text for run in line)
            sheet.write_spans(text, line, [(0, len(text))])
        if number == 0:
            sheet.draw((Run("─┼─".join("─" * width for width in widths), (Role.RULE,)),))


def _row_lines(
    cells: Sequence[Runs], widths: Sequence[int], aligns: Sequence[Align]
) -> Iterator[Runs]:
    wrapped = []
    for runs, width in zip(cells, widths, strict=True):
        text = "".join(run.text for run in runs)
        wrapped.append([cut(runs, *span) for span in wrap(text, width)])
    for number in range(max(map(len, wrapped))):
        line: list[Run] = []
        for column, (pieces, width) in enumerate(zip(wrapped, widths, strict=True)):
            runs = pieces[number] if number < len(pieces) else ()
            if column:
                line.append(_BETWEEN)
            line += _aligned(runs, width, aligns[column])
        yield tuple(line)


def _aligned(runs: Runs, width: int, align: Align) -> Iterator[Run]:
    room = max(width - runs_cells(runs), 0)
    match align:
        case "left":
            before = 0
        case "right":
            before = room
        case "center":
            before = room // 2
    if before:
        yield Run(" " * before)
    yield from runs
    if room > before:
        yield Run(" " * (room - before))


def _widths(table: Table, page: Page, room: int) -> tuple[int, ...]:
    """The widths of the columns; together too wide where they would be too narrow."""
    known = table.widths.get(room)
    if known is None:
        natural = table.natural or _natural(table, page)
        table.natural[:] = natural
        known = _fitted(natural, room - _BETWEEN_CELLS * (len(natural) - 1))
        table.widths[room] = known
    return known


def _natural(table: Table, page: Page) -> list[int]:
    widths = [1] * len(table.aligns)
    measured = MOST_MEASURED_CELLS
    for row in table.rows:
        for column, source in enumerate(row):
            measured -= 1
            if measured >= 0:
                parts = "".join(run.text for run in read_inline(source, page, [])).split("\n")
                widths[column] = max(widths[column], *map(cell_len, parts))
            else:
                widths[column] = max(widths[column], len(source))
    return widths


def _fitted(natural: Sequence[int], room: int) -> tuple[int, ...]:
    """Share the room out: who needs less than an even share leaves the rest to the others."""
    if sum(natural) <= room:
        return tuple(natural)
    if room < sum(min(width, LEAST_COLUMN) for width in natural):
        return tuple(min(width, MOST_WIDE_COLUMN) for width in natural)
    widths = [0] * len(natural)
    open_columns = sorted(range(len(natural)), key=lambda column: natural[column])
    while open_columns:
        column = open_columns.pop(0)
        share = room // (len(open_columns) + 1)
        widths[column] = min(natural[column], share)
        room -= widths[column]
    return tuple(widths)
