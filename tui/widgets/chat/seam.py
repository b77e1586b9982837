"""The line from which on a summary stands for what was said before."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.text.content import literal
from tui.widgets.chat.message_view import MessageView
from vault.conversations.values import MessageNode

_TOLD = "summed up from here on; t shows the summary, d undoes it"


class SeamHead(Static):
    """The line itself."""

    class Clicked(Message):
        """The user clicked on it."""

    def on_click(self) -> None:
        """The message below hears of the click, too."""
        self.post_message(self.Clicked())


class SeamView(MessageView):
    """Opens to the summary; everything above it is kept and can be read."""

    def __init__(self, node: MessageNode) -> None:
        super().__init__(node, "seam")
        self._head = SeamHead(Content(""), classes="seam-head")
        self._body = Static(literal(node.text), classes="seam-body")
        self._body.display = False

    def compose(self) -> ComposeResult:
        """The line, and the summary below it."""
        yield self._head
        yield self._body

    def on_mount(self) -> None:
        """Begin folded."""
        self._draw()

    @on(SeamHead.Clicked)
    def toggle(self) -> None:
        """Show the summary, or no longer."""
        self._body.display = not self._body.display
        self._draw()

    def _draw(self) -> None:
        self._head.update(Content(f"{'▾' if self._body.display else '▸'} {_TOLD}"))
