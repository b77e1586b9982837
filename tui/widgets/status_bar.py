"""The line at the top: the wiki, the engine, and the gauge while its pane is out of sight."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from engine.protocol import MemoryReport
from tui.text.content import literal_line
from tui.widgets.gauge.compact import status_line
from tui.widgets.gauge.figures import figures_of
from tui.widgets.gauge.paint import to_content
from tui.widgets.gauge.plain import shown_lines, terminal_needs_ascii
from tui.widgets.gauge.steady import steadied
from tui.widgets.status_shares import GAP, status_shares

_MOST_LEFT = 56
_PLACES = ("#status-left", "#status-gauge", "#status-right")


class StatusBar(Horizontal):
    """Three texts on one line; redrawn only when they change."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: tuple[Content, ...] = (literal_line("Zibaldone"),)
        self._right = Content("")
        self._report: MemoryReport | None = None
        self._is_gauge_wanted = True
        self._is_ascii = terminal_needs_ascii()
        self._shown: dict[str, Content] = {}

    def compose(self) -> ComposeResult:
        """Left, gauge and right."""
        for place in _PLACES:
            yield Static(Content(""), id=place[1:])

    def show(self, left: tuple[str, ...] = (), right: str | None = None) -> None:
        """Replace either side; the left one has forms from the longest to the shortest."""
        self._left = tuple(map(literal_line, left)) or self._left
        self._right = self._right if right is None else literal_line(right)
        self._draw()

    def show_report(self, report: MemoryReport | None) -> None:
        """The newest figures, or none while there is no engine."""
        self._report = None if report is None else steadied(report, self._report)
        self._draw()

    def want_gauge(self, is_wanted: bool) -> None:
        """Whether the gauge's pane is out of sight, so that its figures are needed here."""
        self._is_gauge_wanted = is_wanted
        self._draw()

    def on_resize(self) -> None:
        """Divide the line anew."""
        self._draw()

    def _draw(self) -> None:
        if not self.is_attached or not self.content_size.width:
            return
        report = self._report if self._is_gauge_wanted else None
        shares = status_shares(
            self.content_size.width,
            min(self._left[0].cell_length, _MOST_LEFT),
            report is not None,
            self._right.cell_length,
        )
        gauge = Content("")
        if report is not None and shares[1]:
            line = status_line(figures_of(report), shares[1])
            gauge = to_content(shown_lines((line,), self._is_ascii))
        left, _, right = (max(cells - GAP, 0) for cells in shares)
        texts = (
            self._fitting(left).truncate(left, ellipsis=True),
            gauge,
            self._right.truncate(right, ellipsis=True),
        )
        for place, cells, text in zip(_PLACES, shares, texts, strict=True):
            self._put(place, text, cells)

    def _fitting(self, cells: int) -> Content:
        return next((text for text in self._left if text.cell_length <= cells), self._left[-1])

    def _put(self, place: str, text: Content, cells: int) -> None:
        static = self.query_one(place, Static)
        if static.styles.width is None or static.styles.width.cells != cells:
            static.styles.width = cells
        if self._shown.get(place) != text:
            self._shown[place] = text
            static.update(text)
