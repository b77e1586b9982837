"""A document whose wide tables move to the left and back."""

from __future__ import annotations

from textual import events

from tui.document.moving import move
from tui.widgets.document.pointed import PointedView

_STEP = 8


class SidewaysView(PointedView):
    """Keys move the first wide table in sight, the wheel with Shift the one below the mouse."""

    def action_sideways(self, step: int) -> None:
        """Move the table by some cells."""
        wide = self._first_wide()
        if wide is None:
            return
        self._move(wide, step * _STEP)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """The wheel was tilted."""
        self._wheel(event, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """The same the other way."""
        self._wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """With Shift the wheel moves sideways."""
        if event.shift or event.ctrl:
            self._wheel(event, -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The same the other way."""
        if event.shift or event.ctrl:
            self._wheel(event, 1)

    def _wheel(self, event: events.MouseEvent, step: int) -> None:
        event.stop()
        event.prevent_default()
        found = self.flow.line(self.scroll_offset.y + event.y) if self.flow else None
        if found is not None:
            self._move(found[0], step * _STEP)

    def _move(self, block: int, cells: int) -> None:
        if self.flow is not None and move(self.flow, block, self.flow.shift_of(block) + cells):
            self.refresh()

    def _first_wide(self) -> int | None:
        flow = self.flow
        if flow is None:
            return None
        blocks = [block for _, block, _ in self.lines_in_sight()]
        return next((each for each in blocks if flow.laid(each).wide is not None), None)
