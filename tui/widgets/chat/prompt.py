"""The box the user writes in."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

HISTORY_LENGTH = 500
_NEWLINE_KEYS = frozenset({"shift+enter", "ctrl+j", "alt+enter"})


class Prompt(TextArea):
    """Enter sends; Shift+Enter, Ctrl+J, Alt+Enter or a closing backslash make a new line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "delete_or_quit", show=False),
        # Textual's text areas redo on Ctrl+Y; here it copies, and moves when the user moves it.
        Binding("ctrl+y", "screen.copy_answer", id="copy-answer", show=False),
        Binding("ctrl+shift+z,super+shift+z", "redo", show=False),
    ]

    class Submitted(Message):
        """The user sent a text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, id: str | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            highlight_cursor_line=False,
            compact=True,
            placeholder="Ask anything. Enter sends, Ctrl+J breaks the line, /help lists commands.",
        )
        self.cursor_blink = False
        # Text areas select on these; here they are the window's, which the footer lists in order.
        for key in ("f6", "f7"):
            self._bindings.key_to_bindings.pop(key, None)
        self._sent: list[str] = []
        self._recalled = 0
        self._draft = ""

    async def _on_key(self, event: events.Key) -> None:
        # Textual calls the text area's own handler next, unless the default is prevented.
        is_handled = True
        if event.key in _NEWLINE_KEYS:
            self.insert("\n")
        elif event.key == "enter":
            self._enter()
        elif event.key == "up" and self._is_on_first_line:
            self._recall(-1)
        elif event.key == "down" and self._is_on_last_line:
            self._recall(+1)
        else:
            is_handled = False
        if is_handled:
            event.stop()
            event.prevent_default()

    async def action_delete_or_quit(self) -> None:
        """Ctrl+D: end of input on an empty prompt, else delete to the right."""
        if self.text:
            self.action_delete_right()
        else:
            await self.app.action_quit()

    def set_text(self, text: str) -> None:
        """Replace what stands in the box, cursor at the end."""
        self.text = text
        self.move_cursor(self.document.end)

    def _enter(self) -> None:
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if before.endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column))
            return
        text = self.text
        if not text.strip():
            return
        self._sent = [*self._sent[-HISTORY_LENGTH:], text]
        self._recalled, self._draft = 0, ""
        self.clear()
        self.post_message(self.Submitted(text))

    @property
    def _is_on_first_line(self) -> bool:
        return self.navigator.is_first_wrapped_line(self.cursor_location)

    @property
    def _is_on_last_line(self) -> bool:
        return self.navigator.is_last_wrapped_line(self.cursor_location)

    def _recall(self, step: int) -> None:
        """Move through what was sent; the unsent draft waits at the near end."""
        if self._recalled == 0:
            self._draft = self.text
        place = min(max(self._recalled - step, 0), len(self._sent))
        if place == self._recalled:
            return
        self._recalled = place
        self.set_text(self._sent[-place] if place else self._draft)
