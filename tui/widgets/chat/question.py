"""A question on the screen."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Static

from tui.text.content import literal
from tui.widgets.chat.message_view import MessageView
from vault.conversations.values import MessageNode


class Question(MessageView):
    """What the user wrote, shown as it is."""

    def __init__(self, text: str, node: MessageNode | None = None) -> None:
        super().__init__(node, "question")
        self._text = text

    def compose(self) -> ComposeResult:
        """The text, and which version it is."""
        yield Static(literal(self._text))
        yield self.branch_line

    @property
    def text(self) -> str:
        """As it was typed."""
        return self._text
