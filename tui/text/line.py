"""Names and labels: foreign text on one line with nothing invisible in it."""

import unicodedata

from tui.text.sanitise import tag, to_display
from tui.text.width import elide

_BLANK = "(blank)"

# In a name these make two different titles look the same, or a title look empty.
_DROPPED_IN_NAMES = (0x061C, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF)
_MARKED_IN_NAMES = (
    *(0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x2800, 0x3164, 0xFFA0),
    *range(0x2061, 0x2065),
    *range(0x206A, 0x2070),
    *range(0xFFF9, 0xFFFC),
)
_NAME_TABLE: dict[int, str | None] = {
    0x09: " ",
    0x0A: " ",
    **dict.fromkeys(_DROPPED_IN_NAMES),
    **{code: tag(code) for code in _MARKED_IN_NAMES},
}


def to_line(text: str, cells: int | None = None) -> str:
    """A name or label on one line, at most `cells` wide, with nothing invisible left in it."""
    line = clean_line(text)
    if text and not _is_visible(line):
        line = _BLANK
    return line if cells is None else elide(line, cells)


def clean_line(text: str) -> str:
    """A piece of a name, which may be blank: as `to_line` has it otherwise."""
    return to_display(text, multiline=False).translate(_NAME_TABLE)


def _is_visible(line: str) -> bool:
    return any(
        not character.isspace() and unicodedata.category(character) not in {"Mn", "Me", "Cf"}
        for character in line
    )
