"""One line of the palette: Content throughout, which is never read as markup."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.text.line import to_line
from tui.text.marked import marked_line, padded
from vault.search.result import Span

COMMANDS_FIRST, HEADINGS_LAST = 4.0, -4.0
"""Added to scores: of equal names the command comes first, then the article."""
_MUTED = "not bold $foreground-muted"
_NAME_CELLS, _NOTE_CELLS, _COMMAND_CELLS, _KEY_CELLS = 48, 60, 14, 8


def palette_line(kind: str, name: str, spans: Sequence[Span], note: str) -> Content:
    """A name with the letters that were found, what it is before it, a muted note behind it."""
    return Content.assemble(
        padded(Content(kind).stylize(_MUTED), _KEY_CELLS),
        marked_line(name, spans, _NAME_CELLS),
        Content(f"  {to_line(note, _NOTE_CELLS)}" if note else "").stylize(_MUTED),
    )


def command_line(name: str, spans: Sequence[Span], sentence: str, key: str) -> Content:
    """A command with its key before its name, in columns."""
    return Content.assemble(
        padded(Content(to_line(key)).stylize("not bold $key-hint"), _KEY_CELLS),
        padded(marked_line(name, spans), _COMMAND_CELLS),
        Content(f" {to_line(sentence)}").stylize(_MUTED),
    )
