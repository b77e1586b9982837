"""How full the context window is, under the prompt: one line, as much of it as there is room."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import RenderResult
from textual.content import Content
from textual.widgets import Static

from engine.protocol import Lane, Usage
from tui.assistant.events import PromptRead
from tui.widgets.chat.wording import context_meter
from vault.conversations import values


@dataclass(frozen=True, slots=True)
class ContextFill:
    """Tokens in the window; `window` is what was granted, 0 when nobody has said."""

    used: int
    window: int = 0
    reused: int = 0
    lane: Lane = "chat"

    @property
    def share(self) -> float:
        """How much of the window is full; 0 when that is not known."""
        return self.used / self.window if self.window > 0 else 0.0


class Meter(Static):
    """Empty while nothing is known; `share` of the window is full as far as that is known."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self._fill: ContextFill | None = None
        self._window = 0

    @property
    def share(self) -> float:
        """How much of the window is full; 0 when that is not known."""
        return self._fill.share if self._fill else 0.0

    def render(self) -> RenderResult:
        """As much as there is room for."""
        return Content(fill_line(self._fill, self.content_size.width))

    def show_usage(self, usage: Usage) -> None:
        """What the last answer left in the window."""
        self._window = usage.context_window
        used = usage.prompt_tokens + usage.generated_tokens
        self._show(ContextFill(used, self._window, usage.reused_tokens, usage.lane))

    def show_reading(self, event: PromptRead) -> None:
        """The prompt that is being read fills the window so far."""
        self._show(ContextFill(event.total, self._window, event.reused))

    def show_kept(self, usage: values.Usage) -> None:
        """What an answer of the store had cost; no model has said yet how large its window is."""
        self._show(ContextFill(usage.prompt + usage.generated))

    def clear(self) -> None:
        """Nothing is known: another chat, or another model counts otherwise."""
        self._window = 0
        self._show(None)

    def _show(self, fill: ContextFill | None) -> None:
        self._fill = fill
        self.refresh()


def fill_line(fill: ContextFill | None, cells: int) -> str:
    """Used and granted; then what is left for answers, what the cache saved, and the lane."""
    if fill is None or cells <= 0:
        return ""
    line = context_meter(fill.used, fill.window)
    parts = []
    if fill.window > 0:
        left = fill.window - fill.used
        parts.append(f"{left:,} left" if left >= 0 else f"{-left:,} too many")
    if fill.reused:
        parts.append(f"{fill.reused:,} reused")
    if fill.lane != "chat":
        parts.append(f"{fill.lane} lane")
    for part in parts:
        if len(line) + len(part) + 3 > cells:
            break
        line = f"{part} · {line}"
    return line
