"""Choosing one of several lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import OptionList

from tui.screens.too_small import TooSmall
from tui.text.content import literal_line


class PickScreen(ModalScreen[int | None]):
    """Answers with the number of the chosen line, from 0; None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        """One list."""
        options = OptionList(*(literal_line(line) for line in self._lines), id="pick")
        options.border_title = literal_line(self._title)
        yield options
        yield TooSmall()

    @on(OptionList.OptionSelected)
    def answer(self, event: OptionList.OptionSelected) -> None:
        """A line was chosen."""
        self.dismiss(event.option_index)
