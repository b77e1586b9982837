"""Keys and commands on one page: those of the focused pane first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.screens.help_rows import HelpSection, columns
from tui.screens.too_small import TooSmall
from tui.text.content import literal_line

_WIDEST_KEYS = 22


class HelpScreen(ModalScreen[None]):
    """Closed by any of its keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,enter", "dismiss", show=False)]

    def __init__(self, sections: Sequence[HelpSection]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="help"):
            yield Static(Content("\n").join(_lines(self._sections)), id="help-text")
        yield TooSmall()

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one("#help").focus()


def _lines(sections: Sequence[HelpSection]) -> Iterator[Content]:
    for number, section in enumerate(sections):
        if number:
            yield Content("")
        yield literal_line(section.title).stylize("bold $pane-title")
        width = max(len(head) for head, _ in columns(section.rows))
        for head, row in columns(section.rows):
            keys = literal_line(head.ljust(min(width, _WIDEST_KEYS))).stylize("$key-hint")
            also = f"  {row.slash}" if row.slash and row.keys else ""
            muted = literal_line(also).stylize("$foreground-muted")
            yield Content.assemble(keys, "  ", literal_line(row.text), muted)
