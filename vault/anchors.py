"""What a heading is linked by: its text, loosely compared, or its slug."""

import re
import unicodedata

from vault.masked import headings

_KEPT = {"Nd", "Nl", "Pc"}
# Letters in circles and squares: symbols by category, alphabetic by property.
_CIRCLED = re.compile(
    "[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)
_DROPPED = re.compile(r"[^a-z0-9_ -]")
_LINK_MARKS = re.compile(r"[#|^:%\[\]\\*_`=~]")


def heading_slug(heading: str) -> str:
    """Return the anchor GitHub gives a heading, before counting repeated ones.

    GitHub knows Unicode 13, so it drops the letters added since, which are kept here.
    """
    text = heading.lower()
    if text.isascii():
        return _DROPPED.sub("", text).replace(" ", "-")
    return "".join(
        "-" if character == " " else character
        for character in text
        if character in " -" or _is_kept(character)
    )


def _is_kept(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in _KEPT or _CIRCLED.match(character) is not None


def first_heading(text: str) -> str | None:
    """Return the text of the first level-one heading."""
    return next((heading for _, level, heading in headings(text) if level == 1), None)


def heading_key(heading: str) -> str:
    """Return what two spellings of one heading share: no marks, no case, single spaces."""
    bare = _LINK_MARKS.sub(" ", unicodedata.normalize("NFC", heading))
    return " ".join(bare.split()).casefold()


def unique_slug(slug: str, emitted: dict[str, int]) -> str:
    """Count a repeated slug up, as GitHub does; `emitted` is the count of each one so far."""
    result = slug
    while result in emitted:
        emitted[slug] += 1
        result = f"{slug}-{emitted[slug]}"
    emitted[result] = 0
    return result
