"""A screen without two faults of Textual's."""

from __future__ import annotations

from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget

from tui.text.content import literal


class SoundScreen(Screen[None]):
    """For screens that show foreign text and replace it while the mouse is over it."""

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """As Textual's; a click on text that is being replaced hits nothing (textual#6643)."""
        try:
            return super().get_widget_and_offset_at(x, y)
        except AttributeError:
            return None, None

    def _handle_tooltip_timer(self, widget: Widget) -> None:
        """Textual reads a tooltip as markup, also one made from a table cell (textual#6642)."""
        if isinstance(widget.tooltip, str):
            widget.tooltip = literal(widget.tooltip)
        super()._handle_tooltip_timer(widget)
