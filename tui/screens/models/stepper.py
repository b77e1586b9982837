"""A value changed in place: ← and → when focused, or a click on either arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.text.content import literal_line

Option = tuple[str, int | None]
"""What is shown, and what it means."""


class Stepper(Static):
    """Shows `label ◂ value ▸`."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Less", show=False),
        Binding("right", "step(1)", "More", show=False),
    ]

    class Changed(Message):
        """The user chose another value."""

        def __init__(self, stepper: Stepper) -> None:
            super().__init__()
            self.stepper = stepper

        @property
        def control(self) -> Stepper:
            """For selectors in `@on`."""
            return self.stepper

    def __init__(self, label: str, options: Sequence[Option], id: str | None = None) -> None:
        super().__init__(id=id)
        self._label = label
        self._options = tuple(options)
        self._index = 0

    def on_mount(self) -> None:
        """Draw the first value."""
        self._draw()

    @property
    def value(self) -> int | None:
        """What the shown option means."""
        return self._options[self._index][1]

    def offer(self, options: Sequence[Option]) -> None:
        """Replace the options; the value stays where it is still one of them."""
        value = self.value
        self._options = tuple(options)
        values = [option[1] for option in self._options]
        self._index = values.index(value) if value in values else 0
        self._draw()

    def action_step(self, by: int) -> None:
        """The next or the previous option; the ends hold."""
        index = min(max(self._index + by, 0), len(self._options) - 1)
        if index != self._index:
            self._index = index
            self._draw()
            self.post_message(self.Changed(self))

    def on_click(self, event: events.Click) -> None:
        """The left half means less, the right half more."""
        self.action_step(-1 if event.x < len(self._label) + 3 else 1)

    def _draw(self) -> None:
        shown = literal_line(self._options[self._index][0])
        arrows = [Content(mark).stylize("$key-hint") for mark in ("◂ ", " ▸")]
        self.update(Content.assemble(f"{self._label} ", arrows[0], shown, arrows[1]))
