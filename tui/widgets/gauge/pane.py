"""The gauge pane: draws memory reports, and only when a figure on it changed."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from engine.protocol import MemoryReport
from tui.text.content import literal
from tui.widgets.gauge.figures import figures_of
from tui.widgets.gauge.history import History
from tui.widgets.gauge.plain import shown_lines, terminal_needs_ascii
from tui.widgets.gauge.steady import steadied
from tui.widgets.gauge.text import GaugeText
from tui.widgets.gauge.views import gauge_lines
from tui.widgets.gauge.what_if_box import WhatIfBox, WhatIfClosed

_LEAST_WIDTH = 20


class GaugePane(VerticalScroll):
    """What the model costs, live; and, when asked, what another plan would cost."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [Binding("w", "what_if", "What if")]

    class Seen(Message):
        """The pane came into sight or went out of it."""

        def __init__(self, is_seen: bool) -> None:
            super().__init__()
            self.is_seen = is_seen

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._is_ascii = terminal_needs_ascii()
        self._report: MemoryReport | None = None
        self._history = History()
        self.border_title = "Memory"

    def compose(self) -> ComposeResult:
        """The gauge, and the what-if that takes its place."""
        yield GaugeText("the engine is starting", id="gauge")
        yield WhatIfBox(self._is_ascii, id="what-if")

    def on_mount(self) -> None:
        """Begin with the gauge."""
        self._box.display = False

    def show_report(self, report: MemoryReport) -> None:
        """The newest figures."""
        self._history.add(report, time.monotonic())
        self._report = steadied(report, self._report)
        if self.is_attached:
            self._box.show_loaded(report.model)
        self._draw()

    def show_gone(self, reason: str) -> None:
        """There is no engine; old figures would lie."""
        self._report = None
        if self.is_attached:
            self._text.say(literal(reason))

    def on_resize(self) -> None:
        """The gauge is as large as the pane."""
        self._draw()

    def on_show(self) -> None:
        """In sight."""
        self.post_message(self.Seen(True))

    def on_hide(self) -> None:
        """Out of sight."""
        self.post_message(self.Seen(False))

    def on_focus(self) -> None:
        """The keys are for the focused pane."""
        self._show_keys()

    def on_blur(self) -> None:
        """Not any more."""
        self._show_keys()

    def action_what_if(self) -> None:
        """Ask for another plan."""
        self._text.display = False
        self._box.display = True
        self._box.open()
        self._box.focus()
        self.border_title = "What if"
        self._show_keys()
        self.refresh_bindings()
        self.scroll_home(animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No second what-if behind the first."""
        return action != "what_if" or not self.is_mounted or not self._box.display

    @on(WhatIfClosed)
    def close_what_if(self, event: WhatIfClosed) -> None:
        """Back to the gauge."""
        event.stop()
        self._box.display = False
        self._text.display = True
        self.border_title = "Memory"
        self.focus()

    @property
    def _text(self) -> GaugeText:
        return self.query_one(GaugeText)

    @property
    def _box(self) -> WhatIfBox:
        return self.query_one(WhatIfBox)

    def _show_keys(self) -> None:
        if self._box.display:
            self.border_subtitle = "↑↓ field ←→ 0-9 change ⏎ model"
        else:
            self.border_subtitle = "w what if" if self.has_focus else ""

    def _draw(self) -> None:
        if self._report is None or not self.is_attached:
            return
        room = self.scrollable_content_region
        width = max(room.width, _LEAST_WIDTH)
        lines = gauge_lines(figures_of(self._report), self._history, width, room.height)
        self._text.show(shown_lines(lines, self._is_ascii))
