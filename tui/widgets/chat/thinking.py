"""What a model thought before its answer: its end while it thinks, folded away after."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.text.content import literal
from tui.widgets.chat.wording import thinking_line

_LINES_WHILE_THINKING = 6


class Thinking(Vertical):
    """A head that says how long it took, and the text, which scrolls by itself."""

    def __init__(
        self,
        may_draw: Callable[[], bool],
        text: str = "",
        seconds: float = 0.0,
        is_over: bool = False,
    ) -> None:
        super().__init__(classes="thinking")
        self._may_draw = may_draw
        self._pieces = [text] if text else []
        self._since, self._seconds = 0.0, seconds
        self._is_over = is_over
        self._is_expanded = False
        self._head = Static(Content(""), classes="thinking-head")
        self._body = Static(Content(""))
        self._box = VerticalScroll(self._body, classes="thinking-body", can_focus=False)
        self.display = bool(text)

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        yield self._head
        yield self._box

    def on_mount(self) -> None:
        """Show what there is."""
        self._show()

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._pieces)

    @property
    def is_expanded(self) -> bool:
        """Whether all of it is to be seen."""
        return self._is_expanded

    def take(self, text: str) -> None:
        """The next piece."""
        if not self._since:
            self._since = time.monotonic()
        self._pieces.append(text)
        self._is_over = False
        if self._may_draw():
            self._show()

    def end(self) -> None:
        """The answer begins, or nothing more comes."""
        if self._is_over or not self._pieces:
            return
        if self._since:
            self._seconds += time.monotonic() - self._since
            self._since = 0.0
        self._is_over = True
        self._show()

    def unfold(self, is_expanded: bool) -> None:
        """Show all of it, or fold it away."""
        self._is_expanded = is_expanded
        if self.is_mounted:
            self._show()

    def _show(self) -> None:
        if not self._pieces:
            return
        running = time.monotonic() - self._since if self._since else 0.0
        is_open = self._is_expanded or not self._is_over
        self.display = True
        self._head.update(Content(thinking_line(self._seconds + running, self._is_over, is_open)))
        self._box.display = is_open
        if is_open:
            text = self.text
            lines = (
                text if self._is_expanded else "\n".join(text.split("\n")[-_LINES_WHILE_THINKING:])
            )
            self._body.update(literal(lines))
