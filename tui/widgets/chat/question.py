"""A question on the screen."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Static

from tui.assistant.recall.record import record_of
from tui.text.content import literal
from tui.widgets.chat.message_view import MessageView
from tui.widgets.chat.recall_chips import RecallChips
from vault.conversations.values import MessageNode


class Question(MessageView):
    """What the user wrote, shown as it is."""

    def __init__(self, text: str, node: MessageNode | None = None) -> None:
        super().__init__(node, "question")
        self._text = text
        self.recalled = RecallChips("recalled", can_change=True)
        if node is not None:
            self.recalled.show_record(node.id, record_of(node))

    def compose(self) -> ComposeResult:
        """The text, and which version it is."""
        yield Static(literal(self._text))
        yield self.recalled
        yield self.branch_line

    def show_recalled(self, node: MessageNode, remark: str = "") -> None:
        """What goes with it changed."""
        self.node = node
        self.recalled.show_record(node.id, record_of(node), remark)

    @property
    def text(self) -> str:
        """As it was typed."""
        return self._text
