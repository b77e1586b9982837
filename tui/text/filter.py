"""The last gate before the terminal: no widget can send it a control character."""

import re
from typing import Any

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

# All measured as no cells wide, so deleting them moves nothing.
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u061c\u2028-\u202e\u2060\u2066-\u2069\ufeff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


class TerminalGate(LineFilter):
    """Deletes control and invisible characters, replaces lone surrogates, drops hyperlinks."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same line, safe to write; Textual's own control segments pass."""
        return [segment if _is_safe(segment) else _clean(segment) for segment in segments]


def install_gate(app: App[Any]) -> None:
    """Put the gate behind all other filters of the app; a second call changes nothing."""
    # There is no public way to add a filter; the pinned Textual and a test keep this true.
    filters = app._filters
    if not any(isinstance(line_filter, TerminalGate) for line_filter in filters):
        filters.append(TerminalGate())


def _is_safe(segment: Segment) -> bool:
    text, style, control = segment
    if control:
        return True
    if style is not None and style.link:
        return False
    return (text.isascii() and text.isprintable()) or not (
        _INVISIBLE.search(text) or _SURROGATE.search(text)
    )


def _clean(segment: Segment) -> Segment:
    text, style, _control = segment
    # A style's link is written into the escape sequence as it stands.
    plain = style.update_link(None) if style is not None and style.link else style
    return Segment(_SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text)), plain)
