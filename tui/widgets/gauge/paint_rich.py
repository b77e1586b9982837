"""Lines of the gauge for a Rich console: meanings become the terminal's own colours."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from tui.widgets.gauge.line import Lines, Tone

STYLES: Mapping[Tone, str] = {
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
    "curve-low": "dim green",
    "key": "bold",
}


def to_text(lines: Lines) -> Text:
    """The lines as text."""
    return Text("\n").join(
        Text.assemble(*((span.text, STYLES[span.tone]) for span in line)) for line in lines
    )
