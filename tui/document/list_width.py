"""How wide the numbers of a list are."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it.token import Token


def number_width(tokens: Sequence[Token], at: int) -> int:
    """The cells that the widest number of an ordered list takes; 0 for bullets."""
    opening = tokens[at]
    if opening.type == "bullet_list_open":
        return 0
    width = 2
    for token in tokens[at + 1 :]:
        if token.type == "ordered_list_close" and token.level == opening.level:
            break
        if token.type == "list_item_open" and token.level == opening.level + 1:
            width = max(width, len(token.info) + 1)
    return width
