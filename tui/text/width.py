"""Cutting text to a number of terminal cells."""

from rich.cells import cell_len, split_graphemes

ELLIPSIS = "…"
# Cells grow with characters at most twofold; zero-width runs are capped by the sanitiser.
_CHARACTERS_PER_CELL = 12


def elide(text: str, cells: int) -> str:
    """The text, or its beginning and an ellipsis, at most `cells` wide, no cluster cut."""
    if cells <= 0:
        return ""
    head = text[: cells * _CHARACTERS_PER_CELL + 1]
    if len(head) == len(text) and cell_len(text) <= cells:
        return text
    room = cells - 1
    end = 0
    for _start, stop, width in split_graphemes(head)[0]:
        if width > room:
            break
        room -= width
        end = stop
    return head[:end].rstrip() + ELLIPSIS
