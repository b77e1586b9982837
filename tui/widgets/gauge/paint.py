"""Lines of the gauge for a Textual widget: meanings become the colours of the theme."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from tui.widgets.gauge.line import Lines, Tone

STYLES: Mapping[Tone, str] = {
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
    "curve-low": "$sparkline-low",
    "key": "$key-hint",
}


def to_content(lines: Lines) -> Content:
    """The lines as content."""
    return Content("\n").join(
        Content.assemble(*((span.text, STYLES[span.tone]) for span in line)) for line in lines
    )
