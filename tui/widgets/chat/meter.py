"""How full the context window is, under the prompt."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from engine.protocol import Usage
from tui.widgets.chat.wording import context_meter


class Meter(Static):
    """Empty while nothing is known; `share` of the window is full as far as that is known."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self.share = 0.0

    def show_usage(self, usage: Usage) -> None:
        """What the last answer left in the window."""
        used = usage.prompt_tokens + usage.generated_tokens
        self.share = used / usage.context_window if usage.context_window > 0 else 0.0
        self.update(Content(context_meter(used, usage.context_window)))

    def clear(self) -> None:
        """Nothing is known: another chat, or another model counts otherwise."""
        self.share = 0.0
        self.update(Content(""))
