"""How the status line is divided. Pure numbers."""

from __future__ import annotations

GAP = 2
_LEAST_GAUGE = 20
_MOST_GAUGE = 64
_MOST_RIGHT_SHARE = 0.7


def status_shares(width: int, left: int, has_gauge: bool, right: int) -> tuple[int, int, int]:
    """Cells for the left text, the gauge and the right text; they sum to `width`.

    `left` and `right` are the lengths of the texts; what they get includes the gap beside them.
    The gauge comes first, then the right side, which says what the engine does.
    """
    wanted = right + GAP if right else 0
    if not has_gauge:
        right_cells = min(wanted, int(width * _MOST_RIGHT_SHARE))
        return width - right_cells, 0, right_cells
    least = min(_LEAST_GAUGE, width)
    right_cells = min(wanted, width - least)
    gauge = min(max(width - right_cells - left - GAP, least), _MOST_GAUGE)
    return width - right_cells - gauge, gauge, right_cells
