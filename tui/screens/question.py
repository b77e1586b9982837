"""A short question with buttons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from tui.screens.too_small import TooSmall
from tui.text.content import literal, literal_line


@dataclass(frozen=True, slots=True)
class Choice:
    """One button. `id` is what the question answers."""

    id: str
    label: str
    variant: Literal["default", "primary", "warning", "error"] = "default"


class QuestionScreen(ModalScreen[str | None]):
    """Answers with the id of the chosen button, or None on Escape.

    The text scrolls, so that no text can push the buttons off the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", show=False),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
        Binding("up", "scroll_text(-1)", show=False),
        Binding("down", "scroll_text(1)", show=False),
    ]

    def __init__(self, text: str, choices: tuple[Choice, ...]) -> None:
        super().__init__()
        self._text = text
        self._choices = choices

    def compose(self) -> ComposeResult:
        """Text above, buttons below."""
        with Vertical(id="question"):
            with VerticalScroll(id="question-text", can_focus=False):
                yield Static(literal(self._text))
            with Horizontal(id="question-buttons"):
                for choice in self._choices:
                    yield Button(literal_line(choice.label), variant=choice.variant, id=choice.id)
        yield TooSmall()

    def action_scroll_text(self, lines: int) -> None:
        """Move a text that is longer than its place."""
        self.query_one("#question-text").scroll_relative(y=lines, animate=False)

    @on(Button.Pressed)
    def answer(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        self.dismiss(event.button.id)
