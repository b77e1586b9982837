"""The notice of a window with no room for anything else."""

from __future__ import annotations

from textual.widgets import Static

LEAST_COLUMNS, LEAST_ROWS = 40, 10


class TooSmall(Static):
    """Covers its screen while the window is too small; the style sheet says when.

    What lies under it keeps the focus and everything typed.
    """

    def __init__(self) -> None:
        super().__init__(
            f"This window is too small for zib.\nIt takes {LEAST_COLUMNS} × {LEAST_ROWS}.",
            classes="too-small",
            markup=False,
        )
