"""The scrolling column of questions and answers."""

from __future__ import annotations

from textual.containers import VerticalScroll


class Transcript(VerticalScroll):
    """Follows the newest text until the user scrolls up, and again once they are back down."""

    can_focus = True

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.is_following = True

    def on_mount(self) -> None:
        """Begin at the end."""
        self.anchor()

    def anchor(self, anchor: bool = True) -> None:
        """Follow the end."""
        self.is_following = anchor
        super().anchor(anchor)

    def release_anchor(self) -> None:
        """The user scrolls by hand."""
        self.is_following = False
        super().release_anchor()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Textual re-engages only on the exact last line; coming down to the end is enough."""
        super().watch_scroll_y(old_value, new_value)
        came_down = new_value > old_value and new_value >= self.max_scroll_y - 1
        if came_down and not self.is_following:
            self.anchor()
