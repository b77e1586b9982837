"""The scrolling column of questions and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.message import Message
from textual.scrollbar import ScrollBar
from textual.widget import Widget

from tui.widgets.chat.message_keys import MESSAGE_BINDINGS, Way

if TYPE_CHECKING:
    from textual.layout import DockArrangeResult


class Transcript(VerticalScroll):
    """Follows the newest text until the user scrolls up, and again once they are back down.

    While it does not follow, what is read stays where it is, whatever changes above it.
    """

    can_focus = True

    BINDINGS: ClassVar[list[BindingType]] = MESSAGE_BINDINGS

    class ChoiceWanted(Message):
        """Another message is to be chosen."""

        def __init__(self, way: Way) -> None:
            super().__init__()
            self.way = way

    class DeedWanted(Message):
        """Something is to be done with the chosen message."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    class TopNeared(Message):
        """What is above the first message will be seen soon."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.is_following = True
        self._held: tuple[Widget, float] | None = None
        self._tops: dict[Widget, int] = {}

    def action_choose(self, way: Way) -> None:
        """Choose a message."""
        self.post_message(self.ChoiceWanted(way))

    def action_deed(self, name: str) -> None:
        """Do something with the chosen message."""
        self.post_message(self.DeedWanted(name))

    def on_mount(self) -> None:
        """Begin at the end."""
        self.anchor()

    def anchor(self, anchor: bool = True) -> None:
        """Follow the end."""
        self.is_following = anchor
        self._held = None
        super().anchor(anchor)

    def release_anchor(self) -> None:
        """The user scrolls by hand."""
        self.is_following = False
        super().release_anchor()
        self._hold()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Textual re-engages only on the exact last line; coming down to the end is enough."""
        super().watch_scroll_y(old_value, new_value)
        came_down = new_value > old_value and new_value >= self.max_scroll_y - 1
        if came_down and not self.is_following:
            self.anchor()
        elif not self.is_following:
            self._hold()
            if new_value < max(old_value, self.size.height):
                self.post_message(self.TopNeared())

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        """As Textual's, and moves the view along with the message it holds."""
        arranged = super().arrange(size, optimal)
        if not optimal:
            self._tops = {each.widget: each.region.y for each in arranged.placements}
            self._keep_place()
        return arranged

    def _hold(self) -> None:
        """Remember the message at the upper edge, and how far above it begins."""
        above = [(top, widget) for widget, top in self._tops.items() if top <= self.scroll_y]
        if above:
            top, widget = max(above, key=lambda each: each[0])
            self._held = widget, self.scroll_y - top

    def _keep_place(self) -> None:
        if self._held is None or self.is_following:
            return
        widget, offset = self._held
        top = self._tops.get(widget)
        if top is None:
            self._held = None
        elif top + offset != self.scroll_y:
            # As the compositor moves an anchored widget: it is in the middle of a layout.
            place = top + offset
            self.set_reactive(Widget.scroll_y, place)
            self.set_reactive(Widget.scroll_target_y, place)
            self.vertical_scrollbar.set_reactive(ScrollBar.position, place)
