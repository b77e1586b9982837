"""What is being typed in the properties of a page that can be completed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tui.widgets.wiki.editing.completion import Kind, Wish

_FENCE = re.compile(r"---[ \t]*")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*")
_NAME = re.compile(r"(?P<query>[^\W\d][\w-]{0,60})")
_ONE = re.compile(r"(?P<key>[^\W\d][\w -]{0,60}):[ \t]+(?P<value>\[?[^#]{0,500})")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>[^#\[\]{}]{0,100})")
_KEY = re.compile(r"(?P<key>[^\W\d][\w -]{0,60}):[ \t]*")
_MOST_LINES = 200
_TAG_KEYS = frozenset({"tags", "tag"})


def wish_in_front(lines: Sequence[str], row: int, column: int) -> Wish | None:
    """What is wanted there; None outside of the properties, or within a line."""
    if not is_in_front(lines, row) or lines[row][column:].strip(" \t]"):
        return None
    before = lines[row][:column]
    if found := _NAME.fullmatch(before):
        return Wish(Kind.PROPERTY, 0, found["query"], closing=": ")
    if found := _ITEM.fullmatch(before):
        key = _key_above(lines, row)
        return _value(key, found["value"], column) if key else None
    if found := _ONE.fullmatch(before):
        value = found["value"]
        is_in_flow = value.startswith("[")
        if is_in_flow:
            value = value[1:].rpartition(",")[2].lstrip()
        elif found["key"].casefold() in _TAG_KEYS:
            value = value.rpartition(",")[2].lstrip()
        return _value(found["key"], value, column, is_in_flow=is_in_flow)
    return None


def is_in_front(lines: Sequence[str], row: int) -> bool:
    """Whether a line is between the fences of the properties."""
    if not 0 < row < _MOST_LINES or not _FENCE.fullmatch(lines[0]):
        return False
    return not any(_CLOSING.fullmatch(line) for line in lines[1 : row + 1])


def _value(key: str, value: str, column: int, *, is_in_flow: bool = False) -> Wish | None:
    if not value.strip() or value[0] in "\"'|>&*!":
        return None
    if key.casefold() in _TAG_KEYS:
        bare = value.removeprefix("#")
        return Wish(Kind.TAG, column - len(bare), bare)
    return Wish(Kind.VALUE, column - len(value), value, key, is_in_flow=is_in_flow)


def _key_above(lines: Sequence[str], row: int) -> str:
    """The property a list item belongs to."""
    for line in reversed(lines[1:row]):
        if found := _KEY.fullmatch(line):
            return found["key"]
        if not _ITEM.match(line):
            return ""
    return ""
