"""Finds the heading that a link's fragment names."""

import re
import unicodedata

from vault.masked import headings

_KEPT = {"Nd", "Nl", "Pc"}
_LINK_MARKS = re.compile(r"[#|^:%\[\]\\*_`=~]")


def heading_slug(heading: str) -> str:
    """Return the anchor GitHub gives a heading, before counting repeated ones."""
    return "".join(
        "-" if character == " " else character
        for character in heading.strip().lower()
        if character in " -"
        or unicodedata.category(character)[0] in "LM"
        or unicodedata.category(character) in _KEPT
    )


def find_heading(text: str, fragment: str) -> int | None:
    """Return the line (from 0) of the heading `fragment` names, by its text or by its slug.

    Of `A#B` the last part counts: it is the path of headings that leads to B.
    """
    wanted = fragment.rpartition("#")[2]
    found = headings(text)
    for line, _, heading in found:
        if _plain(heading) == _plain(wanted):
            return line
    emitted: dict[str, int] = {}
    for line, _, heading in found:
        if _unique(heading_slug(heading), emitted) == wanted.lower():
            return line
    return None


def first_heading(text: str) -> str | None:
    """Return the text of the first level-one heading."""
    return next((heading for _, level, heading in headings(text) if level == 1), None)


def _plain(heading: str) -> str:
    bare = _LINK_MARKS.sub(" ", unicodedata.normalize("NFC", heading))
    return " ".join(bare.split()).casefold()


def _unique(slug: str, emitted: dict[str, int]) -> str:
    result = slug
    while result in emitted:
        emitted[slug] += 1
        result = f"{slug}-{emitted[slug]}"
    emitted[result] = 0
    return result
