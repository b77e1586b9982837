"""A text in a window of its own: a proposal before it is accepted, or the reason of a rejection."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer, Static, TextArea

from tui.screens.too_small import TooSmall
from tui.text.content import literal_line


class TextEditScreen(ModalScreen[str | None]):
    """Answers with the text as edited; None when the user leaves it."""

    DEFAULT_CSS = """
    TextEditScreen { align: center middle; background: $background 60%; }
    TextEditScreen #text-edit { width: 90%; height: 80%; background: $surface; }
    TextEditScreen.-short #text-edit { max-width: 70; height: 8; }
    TextEditScreen Static { padding: 0 1; text-style: bold; }
    TextEditScreen TextArea { height: 1fr; border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "Take it", priority=True),
        Binding("escape", "dismiss", "Leave it", priority=True),
    ]

    def __init__(self, title: str, text: str, *, is_short: bool = False) -> None:
        super().__init__(classes="-short" if is_short else "")
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        with Vertical(id="text-edit"):
            yield Static(literal_line(self._title))
            yield TextArea(self._text, soft_wrap=True, tab_behavior="focus")
            yield Footer(compact=True)
        yield TooSmall()

    def action_take(self) -> None:
        """The text is as it should be."""
        self.dismiss(self.query_one(TextArea).text)
