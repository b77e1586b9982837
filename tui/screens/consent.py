"""Asks before the first change of a folder that was there before zib."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static

from tui.screens.too_small import TooSmall
from tui.text.content import literal
from vault.consent import PAGES_FOLDER, checked_folder
from vault.errors import NotAllowed
from vault.names import displayable

_QUESTION = (
    "May zib change the notes that you edit in {folder}, and put pages of its own into the folder "
    "below? {folder} was here before zib; nothing in it has been changed."
)


class ConsentScreen(ModalScreen[str | None]):
    """Answers with the folder for our own pages, or None for no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", show=False),
        Binding("up", "scroll_text(-1)", show=False),
        Binding("down", "scroll_text(1)", show=False),
    ]

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def compose(self) -> ComposeResult:
        """What is asked, the folder's name, what is wrong with it, and two buttons."""
        with Vertical(id="question"):
            with VerticalScroll(id="question-text", can_focus=False):
                yield Static(literal(_QUESTION.format(folder=displayable(str(self._root)))))
            yield Input(PAGES_FOLDER, compact=True, id="consent-folder")
            yield Static("", id="consent-problem")
            with Horizontal(id="question-buttons"):
                yield Button("Allow", variant="primary", id="allow")
                yield Button("Only read", id="read")
        yield TooSmall()

    def action_scroll_text(self, lines: int) -> None:
        """Move a question that is longer than its place."""
        self.query_one("#question-text").scroll_relative(y=lines, animate=False)

    @on(Input.Submitted)
    @on(Button.Pressed, "#allow")
    def allow(self) -> None:
        """Yes, if the folder's name can be used."""
        name = self.query_one(Input).value
        try:
            self.dismiss(checked_folder(name))
        except NotAllowed as error:
            problem = self.query_one("#consent-problem", Static)
            problem.update(literal(str(error)))
            problem.display = True
            self.query_one("#question").add_class("-refused")

    @on(Button.Pressed, "#read")
    def refuse(self) -> None:
        """No."""
        self.dismiss(None)
