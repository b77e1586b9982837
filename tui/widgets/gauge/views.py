"""The gauge as large as its place allows: full in one or more columns, or compact."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from tui.widgets.gauge import memory_sections, service_sections
from tui.widgets.gauge.compact import compact_lines
from tui.widgets.gauge.curves import curve_lines, tall_curves
from tui.widgets.gauge.figures import Figures
from tui.widgets.gauge.history import History
from tui.widgets.gauge.line import Line, Lines, Span, blank, fit
from tui.widgets.gauge.row_section import rows_table

FULL_COLUMNS = 30
FULL_ROWS = 24
_COLUMN_CELLS = 32
_WIDEST_COLUMN = 60
_GAP = 3
_MOST_COLUMNS = 3
_KV_ROWS = 2
_ROW_ROWS = 2
_FEW_ROWS, _MANY_ROWS = 6, 12
_LEAST_CURVE_ROWS, _MOST_CURVE_ROWS = 2, 8


def gauge_lines(figures: Figures, history: History, width: int, height: int) -> Lines:
    """The larger of full and compact that the room has a place for, `width` cells wide."""
    if width >= FULL_COLUMNS and height >= FULL_ROWS:
        return full_lines(figures, history, width, height)
    return compact_lines(figures, history, width, height)


def full_lines(figures: Figures, history: History, width: int, height: int) -> Lines:
    """Everything there is room for; several caches and rows may run over the end."""
    count = _column_count(width)
    short = curve_lines(figures, history, width)
    if count == 1:
        blocks = _stacked(figures, width, height, short)
    else:
        blocks = _side_by_side(figures, count, width, short)
    spare = height - sum(len(block) + 1 for block in blocks) - _KV_ROWS
    rows = min(spare // 2, _MOST_CURVE_ROWS)
    if rows >= _LEAST_CURVE_ROWS and not history.is_empty:
        tall = tall_curves(figures, history, width, rows)
        blocks = [tall if block is short else block for block in blocks]
    airy = _below(blocks, (blank(width),))
    return airy if len(airy) <= height else _below(blocks, ())


def _stacked(figures: Figures, width: int, height: int, curves: Lines) -> Sequence[Lines]:
    """The parts below each other, as many as there is room for, the most telling ones first."""
    ranked = (
        (0, memory_sections.head(figures, width)),
        (1, memory_sections.memory_table(figures, width)),
        (4, service_sections.kv_table(figures, width)),
        (5, rows_table(figures, width, _FEW_ROWS)),
        (2, service_sections.context(figures, width)),
        (7, service_sections.serving(figures, width)),
        (6, service_sections.speed(figures, width)),
        (3, curves),
        (8, memory_sections.mlx(figures, width)),
    )
    kept: set[int] = set()
    room = height
    for rank, lines in sorted(ranked, key=lambda pair: pair[0]):
        # Caches and rows come and go; what else is shown must not.
        room -= {4: _KV_ROWS, 5: _ROW_ROWS}.get(rank, len(lines))
        if room < 0 and rank:
            break
        kept.add(rank)
    return [lines for rank, lines in ranked if rank in kept]


def _side_by_side(figures: Figures, count: int, width: int, curves: Lines) -> Sequence[Lines]:
    """The parts in columns between what takes the whole width."""
    cells = min((width + _GAP) // count - _GAP, _WIDEST_COLUMN)
    parts = (
        memory_sections.memory_table(figures, cells),
        memory_sections.mlx(figures, cells),
        (*service_sections.context(figures, cells), *service_sections.serving(figures, cells)),
        service_sections.kv_table(figures, cells),
        rows_table(figures, cells, _MANY_ROWS),
        service_sections.speed(figures, cells),
    )
    return [memory_sections.head(figures, width), _beside(parts, count, cells, width), curves]


def _column_count(width: int) -> int:
    return max(1, min(_MOST_COLUMNS, (width + _GAP) // (_COLUMN_CELLS + _GAP)))


def _below(blocks: Sequence[Lines], gap: Lines) -> Lines:
    lines = list(blocks[0])
    for block in blocks[1:]:
        lines += [*gap, *block]
    return tuple(lines)


def _beside(parts: Sequence[Lines], count: int, cells: int, width: int) -> Lines:
    """The parts in columns, cut where the highest column is lowest."""
    gap = (blank(cells),)

    def columns_cut_at(cuts: tuple[int, ...]) -> list[Lines]:
        edges = (0, *cuts, len(parts))
        return [_below(parts[start:end], gap) for start, end in pairwise(edges)]

    choices = [columns_cut_at(cuts) for cuts in combinations(range(1, len(parts)), count - 1)]
    columns = min(choices, key=lambda choice: max(len(column) for column in choice))
    height = max(len(column) for column in columns)
    filled = [(*column, *gap * (height - len(column))) for column in columns]
    return tuple(_joined(line, width) for line in zip(*filled, strict=True))


def _joined(cells: Sequence[Line], width: int) -> Line:
    line = list(cells[0])
    for cell in cells[1:]:
        line += [Span(" " * _GAP), *cell]
    return fit(line, width)
