"""The gauge's text: of its lines only those that changed are sent to the terminal."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from tui.widgets.gauge.line import Lines
from tui.widgets.gauge.paint import to_content


class GaugeText(Static):
    """Shows lines; the same lines again change nothing."""

    def __init__(self, text: str, id: str | None = None) -> None:
        super().__init__(Content(text), id=id)
        self._lines: Lines = ()
        self._changed: tuple[Region, ...] = ()

    def show(self, lines: Lines) -> None:
        """The newest lines."""
        before, self._lines = self._lines, lines
        if lines == before:
            return
        is_as_high = len(lines) == len(before)
        if is_as_high:
            rows = enumerate(zip(before, lines, strict=True))
            changed = (y for y, (old, new) in rows if old != new)
            self._changed = tuple(Region(0, y, self.size.width, 1) for y in changed)
        self.update(to_content(lines), layout=not is_as_high)
        self._changed = ()

    def say(self, text: Content) -> None:
        """A sentence in place of the lines."""
        self._lines = ()
        self.update(text)

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> GaugeText:
        """As Textual's, but for the changed lines only while `show` runs."""
        super().refresh(
            *(regions or self._changed), repaint=repaint, layout=layout, recompose=recompose
        )
        return self
