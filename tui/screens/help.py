"""Keys and commands on one page, made from the table of verbs."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.screens.too_small import TooSmall
from tui.verbs import VERBS

_MORE = (
    ("Enter", "", "send"),
    ("Shift+Enter, Ctrl+J, Alt+Enter", "", "new line; a backslash before Enter does the same"),
    ("↑ ↓", "", "in the first or last line: earlier prompts"),
    ("Tab, Shift+Tab", "", "next and previous pane"),
    ("Alt+L", "", "choose a link of the open article"),
    ("Alt+← Alt+→", "", "back and forward through articles"),
    ("Ctrl+S", "", "in the editor: save and commit"),
    ("Ctrl+P", "", "all commands"),
)


class HelpScreen(ModalScreen[None]):
    """Closed by any of its keys."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,enter", "dismiss", show=False)]

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="help"):
            yield Static(id="help-text")
        yield TooSmall()

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one("#help-text", Static).update(_help_text())
        self.query_one("#help").focus()


def _help_text() -> Content:
    rows = [
        (verb.keys.title(), f"{verb.slash} {verb.argument}".strip(), verb.help) for verb in VERBS
    ]
    rows += _MORE
    lines = [Content("Keys and commands").stylize("bold"), Content("")]
    for key, slash, help_text in rows:
        head = Content(f"{key or slash}").stylize("$key-hint")
        also = f" ({slash})" if key and slash else ""
        lines.append(Content.assemble(head, f"{also}  {help_text}"))
    return Content("\n").join(lines)
