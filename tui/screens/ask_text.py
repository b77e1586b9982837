"""Asks for one line of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from tui.screens.too_small import TooSmall
from tui.text.content import literal
from tui.text.line import to_line


class AskTextScreen(ModalScreen[str | None]):
    """Answers with what was typed, without blanks around it; None on Escape or for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]

    def __init__(self, question: str, value: str = "", suggestions: Sequence[str] = ()) -> None:
        """`suggestions` complete what is typed; the arrow to the right takes one."""
        super().__init__()
        self._question = question
        # What is answered is what is seen.
        self._value = to_line(value)
        self._suggestions = [to_line(each) for each in suggestions]

    def compose(self) -> ComposeResult:
        """The question above, the line below."""
        suggester = SuggestFromList(self._suggestions, case_sensitive=False)
        with Vertical(id="question"):
            yield Static(literal(self._question), id="ask-question")
            yield Input(self._value, compact=True, suggester=suggester, id="ask-text")
        yield TooSmall()

    @on(Input.Submitted)
    def answer(self, event: Input.Submitted) -> None:
        """Enter."""
        self.dismiss(event.value.strip() or None)
