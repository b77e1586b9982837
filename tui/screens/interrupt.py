"""What Ctrl+C does, and copying the newest answer."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.screen import Screen

from tui.screens.clipboard import copy_text
from tui.widgets.chat.pane import ChatPane

QUIT_TWICE_SECONDS = 2.0


class Interrupt:
    """Selection: copy. Prompt with text: clear. Busy: stop. Else quit at the second time."""

    def __init__(self, screen: Screen[None], chat: ChatPane, leave: Callable[[], object]) -> None:
        self._screen = screen
        self._chat = chat
        self._leave = leave
        self._asked_to_quit_at = 0.0

    def copy_answer(self) -> None:
        """Copy the newest answer."""
        if self._chat.last_answer:
            copy_text(self._screen.app, self._chat.last_answer)
        else:
            self._screen.notify("There is no answer to copy yet.", markup=False)

    def press(self) -> None:
        """The key was pressed."""
        prompt = self._chat.prompt
        selected = self._screen.get_selected_text() or prompt.selected_text
        if selected:
            copy_text(self._screen.app, selected)
        elif prompt.text and self._screen.focused is prompt:
            prompt.clear()
        elif self._chat.is_answering:
            self._chat.stop()
        elif time.monotonic() - self._asked_to_quit_at < QUIT_TWICE_SECONDS:
            self._leave()
        else:
            self._asked_to_quit_at = time.monotonic()
            self._screen.notify("Ctrl+C again quits.", timeout=QUIT_TWICE_SECONDS, markup=False)
