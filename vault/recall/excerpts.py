"""What of a passage is shown to a model: readable text, and as much as there is room for."""

import re
from collections.abc import Sequence

from vault.search.terms import Token, Wanted

SIZES = (120, 280, 1100)
"""The longest excerpts, in units: a Latin letter is one, a Chinese character four."""

_HEADING = re.compile(r"\A\s*#{1,6}[ \t][^\n]*\n?")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)", re.DOTALL)
_ADDRESS = re.compile(r"\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)")
_BARE_ADDRESS = re.compile(r"\b(?:https?|ftp)://\S+")
_PICTURE = re.compile(r"!\[")
_BLANKS = re.compile(r"[ \t\u00a0]+")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_ENDS = (". ", "! ", "? ", "。", "！", "？", "\n")
_WIDE = 0x2E80
_LATIN = 0x250


def units(text: str) -> int:
    """How much room a text takes."""
    if text.isascii():
        return len(text)
    return sum(1 if ord(each) < _LATIN else 2 if ord(each) < _WIDE else 4 for each in text)


def readable(text: str) -> str:
    """A passage without its heading, hidden remarks and addresses, which say little and are long.

    Line breaks stay: lists and tables are read by them.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    body = _HEADING.sub("", text, count=1)
    body = _COMMENT.sub(" ", body)
    body = _BARE_ADDRESS.sub("", _ADDRESS.sub("]", _PICTURE.sub("[", body)))
    body = _BLANKS.sub(" ", body)
    return _EMPTY_LINES.sub("\n", body).strip()


def excerpt(text: str, places: Sequence[Token], wanted: Wanted, most: int) -> str:
    """The stretch of a readable text, in at most about so many units, that says most."""
    size = units(text)
    if size <= most:
        return text
    room = max(20, most * len(text) // size)
    first = _start(text, _best_start(places, wanted, room), room)
    end = min(len(text), first + room)
    if end < len(text):
        end = _end(text, first, end)
    before, after = ("… " if first else ""), (" …" if end < len(text) else "")
    return f"{before}{text[first:end].strip()}{after}"


def _best_start(places: Sequence[Token], wanted: Wanted, room: int) -> int:
    ordered = sorted(places, key=lambda each: each.start)
    best, start = 0.0, 0
    for index, each in enumerate(ordered):
        inside = {
            other.token for other in ordered[index : index + 40] if other.end <= each.start + room
        }
        value = sum(wanted.weights[token] for token in inside)
        if value > best:
            best, start = value, each.start
    return start


def _start(text: str, wanted: int, room: int) -> int:
    """Where to begin so that the place is seen with something before it."""
    earliest = max(0, min(wanted - room // 4, len(text) - room))
    ends = [text.rfind(mark, earliest, wanted) + len(mark) for mark in _ENDS]
    found = [each for each in ends if each > earliest]
    if earliest == 0:
        return 0
    if found:
        return min(found)
    space = text.find(" ", earliest, wanted)
    return space + 1 if space >= 0 else earliest


def _end(text: str, first: int, latest: int) -> int:
    half = (first + latest) // 2
    found = max(text.rfind(mark, half, latest) + len(mark.rstrip(" ")) for mark in _ENDS)
    if found > half:
        return found
    space = text.rfind(" ", half, latest)
    return space if space > 0 else latest
