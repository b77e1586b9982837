"""What is being typed that can be completed: a link, an anchor or a tag."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

_WIKILINK = re.compile(r"\[\[(?P<inner>[^\[\]|\n]{0,300})$")
_ANCHOR = re.compile(r"\]\((?P<target>[^()\s#]{0,300})#(?P<query>[^()\s#]{0,300})$")
_TAG = re.compile(r"(?:^|[\s(,;])#(?P<query>[^\W_][\w/-]{0,100})$")
_CLOSING = re.compile(r"[^\[\]|#\n]{0,300}?\]\]")


class Kind(Enum):
    """What is wanted."""

    PAGE = auto()
    HEADING = auto()
    BLOCK = auto()
    ANCHOR = auto()
    TAG = auto()
    PROPERTY = auto()
    VALUE = auto()


@dataclass(frozen=True, slots=True)
class Wish:
    """What could be completed: `query` is typed from column `start` on, in the line.

    `target` is the page whose headings are wanted, empty for the page itself, or the property
    whose values are. `closing` is what must stand behind a choice, and does not yet. A value
    `is_in_flow` in a list in brackets.
    """

    kind: Kind
    start: int
    query: str
    target: str = ""
    closing: str = ""
    is_in_flow: bool = False


def wish_at(line: str, column: int) -> Wish | None:
    """What is wanted at a column of a line of prose."""
    before = line[:column]
    found = _WIKILINK.search(before)
    if found is not None and not _is_escaped(before, found.start()):
        closing = "" if _CLOSING.match(line[column:]) else "]]"
        return _in_wikilink(found["inner"], found.start("inner"), closing)
    if found := _ANCHOR.search(before):
        return Wish(Kind.ANCHOR, found.start("query"), found["query"], found["target"])
    if found := _TAG.search(before):
        return Wish(Kind.TAG, found.start("query"), found["query"])
    return None


def _in_wikilink(inner: str, start: int, closing: str) -> Wish:
    page, mark, fragment = inner.partition("#")
    if not mark:
        return Wish(Kind.PAGE, start, inner, "", closing)
    at = start + len(page) + 1
    if fragment.startswith("^"):
        return Wish(Kind.BLOCK, at + 1, fragment[1:], page, closing)
    return Wish(Kind.HEADING, at, fragment, page, closing)


def _is_escaped(text: str, at: int) -> bool:
    return (len(text[:at]) - len(text[:at].rstrip("\\"))) % 2 == 1
