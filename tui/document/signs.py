"""Signs that tell links apart where colours do not."""

from __future__ import annotations

WANTED_SIGN = "⁺"
AMBIGUOUS_SIGN = "≈"
EXTERNAL_SIGN = "↗"
EMBED_SIGN = "⧉ "
PICTURE_SIGN = "▣ "

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def note_sign(id: str) -> str:
    """A footnote's mark: raised digits, else its name in brackets."""
    is_number = id.isascii() and id.isdigit() and len(id) <= 4
    return id.translate(_SUPERSCRIPTS) if is_number else f"[{id}]"
