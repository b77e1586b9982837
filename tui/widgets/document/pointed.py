"""A document that the mouse points into."""

from __future__ import annotations

from textual import events

from tui.document.expected import opened_group
from tui.document.heads import drawn_line
from tui.document.lines import NO_LINK
from tui.widgets.document.hints import LinkPlace
from tui.widgets.document.linked import LinkedView
from tui.widgets.document.painter import link_at


class PointedView(LinkedView):
    """Clicks follow links and fold sections; the link under the mouse is told."""

    def on_click(self, event: events.Click) -> None:
        """Follow what was clicked; a selection that ends on a link follows nothing."""
        selection = self.text_selection
        if selection is not None and selection.start != selection.end:
            return
        place, heading = self._under(event)
        if place is not None:
            self.choose(place)
            self.activate(place)
        elif heading is not None and self.flow is not None:
            self.set_folded(heading, is_folded=heading not in self.flow.folded)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Say what is under the mouse."""
        place, _ = self._under(event)
        if place != self._pointed:
            self._pointed = place
            self.post_message(self.Pointed(self.target(place) if place else None))

    def on_leave(self) -> None:
        """The mouse is elsewhere."""
        if self._pointed is not None:
            self._pointed = None
            self.post_message(self.Pointed(None))

    def _under(self, event: events.MouseEvent) -> tuple[LinkPlace | None, int | None]:
        """The link under the mouse, or the group of the heading whose mark in the margin is."""
        drawn = drawn_line(self.flow, self.scroll_offset.y, event.y)
        if drawn is None or self.flow is None:
            return None, None
        block, line, _ = drawn
        cell = event.x - self.measure.left
        link = link_at(line, cell)
        if (
            line.picture is not None
            and 0 <= cell - line.margin + line.picture.columns < line.picture.columns
        ):
            # What can be chosen in its block is only the picture.
            link = 0
        if link != NO_LINK:
            return (block, link), None
        group = opened_group(self.flow.document.blocks[block])
        is_mark = -3 <= cell < 0 and self.scroll_offset.y + event.y == self.flow.text_top(block)
        return None, group if is_mark else None
