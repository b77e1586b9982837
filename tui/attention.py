"""Tells the user who looks elsewhere that an answer is there."""

from __future__ import annotations

from typing import Literal

from textual.app import App

Notify = Literal["off", "bell", "terminal"]
_KEEP_TITLE, _GIVE_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
_TITLE = "\x1b]2;● Zibaldone: the answer is there\x07"
_DESKTOP = "\x1b]9;Zibaldone: the answer is there\x07"


class Attention:
    """A bell or a notification of the terminal, and its title until the user is back.

    Nothing of a chat is told: it may be seen by others.
    """

    def __init__(self, app: App[None], how: Notify) -> None:
        self._app = app
        self._how = how
        self._is_title_ours = False

    def ask_for_it(self) -> None:
        """An answer has ended."""
        if self._how == "off" or self._app.app_focus:
            return
        if self._how == "bell":
            self._app.bell()
        else:
            self._write(_DESKTOP)
        if not self._is_title_ours:
            self._is_title_ours = True
            self._write(f"{_KEEP_TITLE}{_TITLE}")

    def user_is_back(self) -> None:
        """The terminal has the focus again, or the program ends."""
        if self._is_title_ours:
            self._is_title_ours = False
            self._write(_GIVE_TITLE_BACK)

    def _write(self, sequence: str) -> None:
        driver = self._app._driver
        if driver is not None and not self._app.is_headless:
            driver.write(sequence)
            driver.flush()
