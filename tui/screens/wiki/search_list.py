"""The list of what a search found."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.screens.wiki.search_rows import ROW_LINES, ResultRow, result_lines
from tui.widgets.line_list import LineList


class ResultList(LineList, can_focus=False):
    """A passage or a suggestion a row; it never takes the focus from what is typed."""

    row_height = ROW_LINES
    rows: Sequence[ResultRow] = ()

    @property
    def row(self) -> ResultRow | None:
        """What the cursor stands on."""
        return self.rows[self.cursor] if self.rows else None

    def draw_row(self, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        """One passage or suggestion."""
        return result_lines(self.rows[row], width)
