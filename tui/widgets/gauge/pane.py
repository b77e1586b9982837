"""The gauge pane: draws memory reports, and only when a figure on it changed."""

from __future__ import annotations

from collections import deque

import psutil
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.protocol import MemoryReport, ModelInfo
from tui.widgets.gauge.figures import gauge_lines

SAMPLES_KEPT = 600
# Other programs change the free memory all the time; less than this is no news.
FREE_STEP_BYTES = 256 * 1024**2


class GaugePane(VerticalScroll):
    """What the model costs, live."""

    can_focus = True

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._report: MemoryReport | None = None
        self._model: ModelInfo | None = None
        self._speeds: deque[float] = deque(maxlen=SAMPLES_KEPT)
        self._free_bytes = 0
        self._shown: tuple[object, ...] = ()
        self.border_title = "Memory"

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(Content("the engine is starting"), id="gauge")

    def show_model(self, model: ModelInfo | None) -> None:
        """Another model, or none."""
        self._model = model
        self._draw()

    def show_report(self, report: MemoryReport) -> None:
        """The newest figures."""
        self._report = report
        if report.rows_running or (self._speeds and self._speeds[-1] > 0):
            self._speeds.append(report.decode_tps)
        self._draw()

    def on_resize(self) -> None:
        """Bars are as wide as the pane."""
        self._draw()

    def _draw(self) -> None:
        if self._report is None or not self.is_attached:
            return
        width = max(self.scrollable_content_region.width, 20)
        free = psutil.virtual_memory().available
        if abs(free - self._free_bytes) >= FREE_STEP_BYTES:
            self._free_bytes = free
        speeds = tuple(self._speeds)
        wanted = (self._report, self._model, speeds, self._free_bytes, width)
        if wanted != self._shown:
            self._shown = wanted
            lines = gauge_lines(self._report, self._model, speeds, self._free_bytes, width)
            self.query_one("#gauge", Static).update(lines)
