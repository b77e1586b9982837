"""Where streamed text may be cut: never between characters that are drawn as one.

The rules are those of Unicode's extended grapheme clusters, a little coarser: whatever follows a
joiner or an Indic virama stays with it.
"""

from __future__ import annotations

import unicodedata

MOST_HELD = 32
"""Characters; a longer cluster is no letter anybody reads, so it is let go as it comes."""
_JOINER = "\u200d"
_VIRAMA = 9
# Not marks by category, but drawn on what stands before them.
_EXTENDING = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")
_PREPENDED = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011d46\U00011f02"
    "\U00011a84\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89"
)


class ClusterBuffer:
    """Holds back the end of a text for as long as the next character may belong to it."""

    def __init__(self) -> None:
        self._held = ""

    def add(self, text: str) -> str:
        """Take text; what may be drawn now."""
        held = self._held + text
        start = _last_start(held)
        if held and (len(held) - start > MOST_HELD or _ends_at_once(held[-1])):
            start = len(held)
        self._held = held[start:]
        return held[:start]

    def flush(self) -> str:
        """What was held back; nothing comes after it."""
        held, self._held = self._held, ""
        return held


def _last_start(text: str) -> int:
    """Where the last cluster of a text begins."""
    place = len(text) - 1
    lowest = max(place - 2 * MOST_HELD, 0)
    while place > lowest and _are_one(text, place):
        place -= 1
    return max(place, 0)


def _are_one(text: str, place: int) -> bool:
    """Whether the character at `place` belongs to the one before it."""
    before, after = text[place - 1], text[place]
    if before < "\u0300" and after < "\u0300":
        return before + after == "\r\n"
    if before.isspace() or unicodedata.category(before) == "Cc":
        return False
    if _extends(after) or before == _JOINER or before in _PREPENDED:
        return True
    if unicodedata.combining(before) == _VIRAMA:
        return True
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, place) % 2 == 1
    return (_syllable_part(before), _syllable_part(after)) in _SYLLABLES


def _ends_at_once(character: str) -> bool:
    return character.isspace() and character != "\r"


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character) in {"Mn", "Me", "Mc"}
        or character in _EXTENDING
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, place: int) -> int:
    count = 0
    while count < place and _is_flag_letter(text[place - 1 - count]):
        count += 1
    return count


def _syllable_part(character: str) -> str:
    """The place of a Hangul letter in a syllable: leading, vowel or trailing."""
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    if "\uac00" <= character <= "\ud7a3":
        return "LVT" if (ord(character) - 0xAC00) % 28 else "LV"
    return ""


_SYLLABLES = {
    *(("L", part) for part in ("L", "V", "LV", "LVT")),
    *(("LV", part) for part in ("V", "T")),
    *(("V", part) for part in ("V", "T")),
    *((part, "T") for part in ("LVT", "T")),
}
