"""Two versions of a text, compared."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer

from tui.screens.too_small import TooSmall
from tui.text.content import literal_line
from tui.widgets.diff.section import Section
from tui.widgets.diff.view import DiffView
from vault.history.diff import diff_texts


class DifferenceScreen(ModalScreen[None]):
    """What was and what is; Escape goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "dismiss", "Back")]
    DEFAULT_CSS = """
    DifferenceScreen { align: center middle; background: $background 60%; }
    #difference {
        width: 96%;
        height: 94%;
        border: round $pane-border-focused;
        border-title-color: $pane-title;
        background: $surface;
    }
    #difference-view { height: 1fr; background: $surface; padding: 0 1; }
    """

    def __init__(self, title: str, old: str, new: str) -> None:
        super().__init__()
        self._title = title
        self._old, self._new = old, new

    def compose(self) -> ComposeResult:
        """The difference, and its keys."""
        with Vertical(id="difference") as box:
            box.border_title = literal_line(self._title)
            yield DiffView(id="difference-view")
            yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Compare."""
        hunks = diff_texts(self._old, self._new).hunks
        sections = [Section(f"line {hunk.new_start}", hunk.lines) for hunk in hunks]
        view = self.query_one(DiffView)
        view.show(sections, "They are the same, but for line breaks.")
        view.focus()
