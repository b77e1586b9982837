"""Lines of the gauge as Textual content or Rich text: meanings become colours here."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text
from textual.content import Content

from tui.widgets.gauge.line import Lines, Tone

THEME_STYLES: Mapping[Tone, str] = {
    "plain": "",
    "muted": "$foreground-muted",
    "name": "bold",
    "title": "$pane-title bold",
    "good": "$text-success",
    "warn": "$gauge-warn",
    "critical": "$gauge-critical bold",
    "weights": "$gauge-weights",
    "kv": "$gauge-kv",
    "kv-limit": "$gauge-kv-limit",
    "transient": "$gauge-transient",
    "reserve": "$gauge-reserve",
    "free": "$gauge-free",
    "curve": "$sparkline-high",
    "key": "$key-hint",
}

# The terminal's own palette: what is printed stays after its colours change.
TERMINAL_STYLES: Mapping[Tone, str] = {
    "plain": "",
    "muted": "bright_black",
    "name": "bold",
    "title": "bold",
    "good": "green",
    "warn": "yellow",
    "critical": "bold red",
    "weights": "blue",
    "kv": "yellow",
    "kv-limit": "dim yellow",
    "transient": "magenta",
    "reserve": "cyan",
    "free": "bright_black",
    "curve": "green",
    "key": "bold",
}


def to_content(lines: Lines) -> Content:
    """For a Textual widget, in the colours of the theme."""
    return Content("\n").join(
        Content.assemble(*((span.text, THEME_STYLES[span.tone]) for span in line)) for line in lines
    )


def to_text(lines: Lines) -> Text:
    """For a Rich console, in the terminal's own colours."""
    text = Text("\n", no_wrap=True, end="").join(
        Text.assemble(*((span.text, TERMINAL_STYLES[span.tone]) for span in line)) for line in lines
    )
    text.no_wrap = True
    return text
