"""The line in which is typed what to find."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static


class ArticleFindBar(Horizontal):
    """Hidden until it is opened; stays in sight while there are matches."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave(False)", show=False),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    ArticleFindBar { height: 1; display: none; background: $panel; }
    ArticleFindBar > .find-sign { width: auto; padding: 0 1; color: $key-hint; }
    ArticleFindBar > Input { width: 1fr; background: $panel; }
    ArticleFindBar > #find-count { width: auto; padding: 0 1; color: $foreground-muted; }
    """

    class Typed(Message):
        """What is to be found changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The reader is done typing."""

        def __init__(self, keeps_matches: bool) -> None:
            super().__init__()
            self.keeps_matches = keeps_matches

    def compose(self) -> ComposeResult:
        """A sign, what is typed, and the count."""
        yield Static(Content("/"), classes="find-sign")
        yield Input(compact=True, select_on_focus=True)
        yield Static(Content(""), id="find-count")

    def open(self) -> None:
        """Type."""
        self.display = True
        self.query_one(Input).focus()

    def close(self) -> None:
        """Nothing is found any more."""
        self.display = False
        with self.prevent(Input.Changed):
            self.query_one(Input).value = ""
        self.tell(0, -1)

    def tell(self, here: int, count: int) -> None:
        """The match the reader is at and how many there are; a negative count ends the search."""
        if count < 0:
            self.display = False
        words = f"{here:,}/{count:,}" if count > 0 else "nothing found"
        shown = words if self.query_one(Input).value.strip() and count >= 0 else ""
        self.query_one("#find-count", Static).update(Content(shown))

    @on(Input.Changed)
    def pass_on(self, event: Input.Changed) -> None:
        """Find as it is typed."""
        event.stop()
        self.post_message(self.Typed(event.value))
        if not event.value.strip():
            self.tell(0, 0)

    @on(Input.Submitted)
    def keep(self, event: Input.Submitted) -> None:
        """Go on reading with the matches marked."""
        event.stop()
        self.action_leave(True)

    def action_leave(self, keeps_matches: bool) -> None:
        """Back to the text."""
        keeps = keeps_matches and bool(self.query_one(Input).value.strip())
        if not keeps:
            self.close()
        self.post_message(self.Left(keeps))
