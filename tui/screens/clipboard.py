"""Sending text to the clipboard."""

from __future__ import annotations

from textual.app import App

from tui.text.sanitise import to_display


def copy_text(app: App[None], text: str) -> None:
    """Copy, and say that the terminal was asked to."""
    app.copy_to_clipboard(to_display(text))
    app.notify(f"{len(text):,} characters sent to the clipboard.", markup=False)
