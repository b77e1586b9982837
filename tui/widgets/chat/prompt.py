"""The box the user writes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.widgets.chat.chip_area import ChipArea
from tui.widgets.chat.prompt_history import PromptHistory
from tui.widgets.chat.slash_completion import SlashCompletion
from tui.widgets.chat.typist import Typist

_NEWLINE_KEYS = frozenset({"shift+enter", "ctrl+j", "alt+enter"})
PLACEHOLDER = "Ask anything. Enter sends, Ctrl+J breaks the line, / lists commands."


class Prompt(ChipArea):
    """Enter sends; Shift+Enter, Ctrl+J, Alt+Enter or a closing backslash make a new line.

    `is_kept` says whether what is sent may be remembered on the disk; `take_back` gives the last
    question that still waits for its answer.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "delete_or_quit", show=False),
        # Textual's text areas redo on Ctrl+Y; here it copies, and moves when the user moves it.
        Binding("ctrl+y", "screen.copy_answer", id="copy-answer", show=False),
        Binding("ctrl+shift+z,super+shift+z", "redo", show=False),
        Binding("ctrl+g", "edit_outside", id="edit-outside", show=False),
    ]

    class Submitted(Message):
        """The user sent a text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, take_back: Callable[[], str] = str, id: str | None = None) -> None:
        super().__init__(PLACEHOLDER, id)
        self._take_back = take_back
        # Text areas select on these; here they are the window's, which the footer lists in order.
        for key in ("f6", "f7"):
            self._bindings.key_to_bindings.pop(key, None)
        self.history_of_prompts = PromptHistory()
        self.is_kept = True
        self.typist = Typist()
        self._slash = SlashCompletion(self)
        self._recalled = 0
        self._draft = ""

    async def _on_key(self, event: events.Key) -> None:
        self.typist.press()
        # Textual calls the text area's own handler next, unless the default is prevented.
        if self._slash.take_key(event.key) or self._take_key(event.key):
            event.stop()
            event.prevent_default()

    def on_text_area_changed(self) -> None:
        """Commands are offered while one is typed."""
        self._slash.look()

    def on_blur(self) -> None:
        """Commands are for who types."""
        self._slash.put_away()

    async def action_delete_or_quit(self) -> None:
        """Ctrl+D: end of input on an empty prompt, else delete to the right."""
        if self.text:
            self.action_delete_right()
        else:
            await self.app.action_quit()

    def action_edit_outside(self) -> None:
        """Write the prompt in the program that VISUAL or EDITOR names."""
        from tui.screens.wiki.outside_editor import NoEditor, edit_outside

        text = self.full_text
        try:
            edited = edit_outside(self.app, "prompt.md", text, self.cursor_location[0] + 1)
        except NoEditor as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        if edited.complaint:
            self.notify(edited.complaint, severity="warning", markup=False)
        if edited.text != text:
            # Editors end the last line.
            self.set_text(edited.text.removesuffix("\n"))

    def submit(self) -> None:
        """Send what is in the box."""
        text = self.full_text
        if not text.strip():
            return
        self.pastes.forget_all_but(self.text)
        self.history_of_prompts.add(text, self.is_kept)
        self._recalled, self._draft = 0, ""
        self._slash.put_away()
        self.clear()
        self.post_message(self.Submitted(text))

    def _take_key(self, key: str) -> bool:
        if key in _NEWLINE_KEYS:
            self.insert("\n")
        elif key == "enter":
            self._enter()
        elif key == "up" and self._is_on_first_line:
            self._recall(-1)
        elif key == "down" and self._is_on_last_line:
            self._recall(+1)
        elif key == "ctrl+o":
            return self.open_chip(self.cursor_location, is_behind=True)
        else:
            return False
        return True

    def _enter(self) -> None:
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if before.endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column))
        else:
            self.submit()

    @property
    def _is_on_first_line(self) -> bool:
        return self.navigator.is_first_wrapped_line(self.cursor_location)

    @property
    def _is_on_last_line(self) -> bool:
        return self.navigator.is_last_wrapped_line(self.cursor_location)

    def _recall(self, step: int) -> None:
        """Move through what was sent; the unsent draft waits at the near end."""
        if step < 0 and not self.text and (waiting := self._take_back()):
            self.set_text(waiting)
            return
        if self._recalled == 0:
            self._draft = self.text
        sent = self.history_of_prompts.texts
        place = min(max(self._recalled - step, 0), len(sent))
        if place == self._recalled:
            return
        self._recalled = place
        self.set_text(sent[-place] if place else self._draft)
