"""Shows what would change before it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from tui.screens.too_small import TooSmall
from tui.text.content import literal
from tui.widgets.diff.section import Section
from tui.widgets.diff.view import DiffView
from vault.history.diff import diff_texts
from vault.names import displayable


class PreviewScreen(ModalScreen[bool]):
    """Answers whether to do it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", "Not now"),
        Binding("y", "dismiss(True)", "Do it"),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, question: str, sections: Sequence[Section], deed: str) -> None:
        """`deed` is what the button says that does it."""
        super().__init__()
        self._question = question
        self._sections = sections
        self._deed = deed

    def compose(self) -> ComposeResult:
        """Question, difference, buttons."""
        with Vertical(id="preview"):
            yield Static(literal(self._question), id="preview-question")
            yield DiffView(id="preview-diff")
            with Horizontal(id="question-buttons"):
                yield Button(literal(self._deed), variant="primary", id="do")
                yield Button("Not now", id="leave")
        yield TooSmall()

    def on_mount(self) -> None:
        """The button that does it has the focus; the difference scrolls by its own keys."""
        self.query_one(DiffView).show(self._sections, "Nothing changes.")
        self.query_one("#do").focus()

    @on(Button.Pressed)
    def answer(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        self.dismiss(event.button.id == "do")


def sections_of_page(path: str, old: str, new: str) -> tuple[Section, ...]:
    """The changes of one page, each under the page's path and line."""
    return tuple(
        Section(f"{displayable(path)}:{hunk.new_start}", hunk.lines)
        for hunk in diff_texts(old, new, 1).hunks
    )
