"""The gauge in ASCII, for terminals where neither colours nor block characters tell parts apart."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from tui.widgets.gauge.bars import LEVELS
from tui.widgets.gauge.line import Lines, Span, Tone

_FILLS: Mapping[Tone, str] = {
    "weights": "#",
    "kv": "=",
    "kv-limit": "-",
    "transient": "+",
    "reserve": ":",
    "free": ".",
}
_BLOCKS = frozenset("█▒░▓")
_CURVE = str.maketrans(LEVELS, "_.,:-=+#")
_SIGNS = str.maketrans("·×–…←→↑↓▸▏", "|x-~<>^v>_")
_FEW_COLOURS = ("ansi", "cons25", "cygwin", "dumb", "linux", "vt", "xterm-16color", "xterm-mono")


def needs_ascii(environment: Mapping[str, str], encoding: str | None) -> bool:
    """Whether colour or block characters cannot be relied on; no theme has a say in it.

    `NO_COLOR` counts when it is there at all, as it does for Textual.
    """
    if "NO_COLOR" in environment or environment.get("TERM", "").startswith(_FEW_COLOURS):
        return True
    # Python itself speaks UTF-8 under the C locale; the terminal need not.
    names = (environment.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "")
    if locale and "utf8" not in locale.lower().replace("-", ""):
        return True
    return "utf" not in (encoding or "").lower()


def to_ascii(lines: Lines) -> Lines:
    """The same lines, cell for cell, with signs of ASCII for ours; names stay as they are."""
    return tuple(tuple(_span(span) for span in line) for line in lines)


def shown_lines(lines: Lines, is_ascii: bool) -> Lines:
    """The lines as this terminal can show them."""
    return to_ascii(lines) if is_ascii else lines


def _span(span: Span) -> Span:
    if span.tone in {"curve", "curve-low"}:
        return Span(span.text.translate(_CURVE), span.tone)
    if span.text and set(span.text) <= _BLOCKS:
        return Span(_FILLS.get(span.tone, "=") * len(span.text), span.tone)
    return Span(span.text.translate(_SIGNS), span.tone)


def terminal_needs_ascii() -> bool:
    """As `needs_ascii`, of the terminal this program runs in."""
    stream = sys.__stdout__
    return needs_ascii(os.environ, stream.encoding if stream is not None else None)
