"""Key sequences Textual 8.2.8 does not know."""

from __future__ import annotations

from textual import _ansi_sequences
from textual.keys import Keys


def teach_terminal_keys() -> None:
    """Read `ESC CR`, which terminals send for Alt+Enter, as a line break, not as Enter.

    Without it the modifier is dropped and half a message is sent (Textualize/textual#6378).
    """
    known = _ansi_sequences.ANSI_SEQUENCES_KEYS
    if isinstance(known, dict):
        known["\x1b\r"] = (Keys.ControlJ,)
