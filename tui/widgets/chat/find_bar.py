"""The line in which words are typed that are to be found in this chat."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static


class FindBar(Horizontal):
    """Words and how often they are there. Enter goes up to the hit before, as chats are read."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", "Hit before", id="hit-before"),
        Binding("down,shift+enter", "step(1)", "Next hit", id="hit-after"),
        Binding("escape", "close", "Close", id="close-find"),
        Binding("ctrl+f", "close", show=False),
    ]

    class Wanted(Message):
        """Other words are looked for."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class Stepped(Message):
        """Another hit is wanted."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Closed(Message):
        """The user has found it."""

    def __init__(self, words: str) -> None:
        super().__init__(id="find")
        self._words = words
        self._count = Static(Content(""), id="find-count")

    def compose(self) -> ComposeResult:
        """What is typed, and how often it is there."""
        box = Input(self._words, placeholder="find in this chat", id="find-words", compact=True)
        box.cursor_blink = False
        yield box
        yield self._count

    def on_mount(self) -> None:
        """Type at once."""
        self.query_one(Input).focus()

    def say(self, text: str) -> None:
        """How often, and which one."""
        self._count.update(Content(text))

    def type(self, words: str) -> None:
        """Look for these words."""
        box = self.query_one(Input)
        box.value = words or box.value
        box.focus()

    @on(Input.Changed)
    def look(self, event: Input.Changed) -> None:
        """Another letter."""
        event.stop()
        self.post_message(self.Wanted(event.value))

    @on(Input.Submitted)
    def take(self, event: Input.Submitted) -> None:
        """To the hit before."""
        event.stop()
        self.action_step(-1)

    def action_step(self, step: int) -> None:
        """To another hit."""
        self.post_message(self.Stepped(step))

    def action_close(self) -> None:
        """Back to the prompt."""
        self.post_message(self.Closed())
