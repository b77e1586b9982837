"""The input of a screen in which somebody looks for something: it never loses the focus."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class LookingInput(Input):
    """Leaves to its screen every key that is for the list below.

    It takes Enter after all that was typed before it, so that it means what is seen then.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Open"),
        Binding("up", "screen.move(-1)", show=False),
        Binding("down", "screen.move(1)", show=False),
        Binding("pageup", "screen.move_page(-1)", show=False),
        Binding("pagedown", "screen.move_page(1)", show=False),
        Binding("home,ctrl+home", "screen.move_to(0)", show=False),
        Binding("end,ctrl+end", "screen.move_to(-1)", show=False),
    ]

    def __init__(self, value: str, placeholder: str, id: str | None = None) -> None:
        super().__init__(value, placeholder=placeholder, id=id, compact=True)
        self.cursor_blink = False
