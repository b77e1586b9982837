"""Shows a difference: scrolls, walks from section to section, under one another or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from tui.text.content import literal
from tui.widgets.diff.drawing import Drawing, draw
from tui.widgets.diff.section import Section

LEAST_WIDTH_BESIDE = 70
MOST_LINES = 20_000


class DiffView(ScrollView, can_focus=True):
    """Draws only what is on the screen; `current` is the number of the section one is at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "go(1)", "Next", id="diff-next"),
        Binding("p", "go(-1)", "Previous", id="diff-previous"),
        Binding("v", "toggle_beside", "Side by side", id="diff-beside"),
        Binding("w", "toggle_words", "Words", id="diff-words"),
    ]

    class SectionChosen(Message):
        """The user clicked on the title of a section."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.current = 0
        self.is_beside = False
        self.by_words = True
        self._sections: tuple[Section, ...] = ()
        self._message = ""
        self._drawing = Drawing((), ())

    def show(self, sections: Sequence[Section], message: str = "") -> None:
        """Show a difference from its first section; `message` is shown when it has none."""
        self._sections, self._message = tuple(sections), message
        self.current = 0
        self._draw()
        self.scroll_to(0, 0, animate=False)

    def redraw(self, sections: Sequence[Section]) -> None:
        """Show the same difference in another state, where one is."""
        self._sections = tuple(sections)
        self._draw()

    def action_go(self, by: int) -> None:
        """To the next or the previous section."""
        self.go_to(self.current + by)

    def go_to(self, number: int) -> None:
        """To one section."""
        if not self._sections:
            return
        self.current = max(0, min(number, len(self._sections) - 1))
        self._draw()
        self.scroll_to(y=self._drawing.starts[self.current], animate=False)

    def action_toggle_beside(self) -> None:
        """Old and new side by side, or one under the other."""
        self.is_beside = not self.is_beside
        if self.is_beside and not self._has_room_beside:
            self.notify("There is no room for two columns here; widen the window.")
        self.go_to(self.current)

    def action_toggle_words(self) -> None:
        """Mark the changed words within changed lines, or not."""
        self.by_words = not self.by_words
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Fold anew."""
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Choose a section by its title."""
        line = event.y + self.scroll_offset.y
        if line in self._drawing.starts:
            self.go_to(self._drawing.starts.index(line))
            self.post_message(self.SectionChosen(self.current))

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        at = y + self.scroll_offset.y
        lines = self._drawing.lines
        line = lines[at] if at < len(lines) else Content("")
        width = self.scrollable_content_region.width
        strips = Visual.to_strips(self, line, width, 1, self.visual_style, pad=True)
        return strips[0] if strips else Strip.blank(width, self.rich_style)

    @property
    def _has_room_beside(self) -> bool:
        return self.scrollable_content_region.width >= LEAST_WIDTH_BESIDE

    def _draw(self) -> None:
        width = self.scrollable_content_region.width
        if not width:
            return
        if self._sections:
            drawn = draw(
                self._sections,
                width,
                self.current,
                by_words=self.by_words,
                is_beside=self.is_beside and self._has_room_beside,
            )
        else:
            drawn = Drawing(tuple(literal(self._message).wrap(width)), ())
        if len(drawn.lines) > MOST_LINES:
            rest = len(drawn.lines) - MOST_LINES
            end = Content(f"… {rest:,} more lines; `zib memory diff` prints them all.")
            starts = tuple(start for start in drawn.starts if start < MOST_LINES)
            drawn = Drawing((*drawn.lines[:MOST_LINES], end), starts)
            self._sections = self._sections[: len(starts)]
        self._drawing = drawn
        self.virtual_size = Size(width, len(drawn.lines))
        self.refresh()
