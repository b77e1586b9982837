"""Cuts text to a number of UTF-8 bytes, between what is drawn as one character."""

from collections.abc import Callable, Iterator, Sequence

import regex

_CUT_MARK = "…"
_LONGEST_CHARACTER = 4
_NEARBY = 64
_CLUSTER = regex.compile(r"\X")
_BREAKS = ("\n\n", "\n", " ")


def size_of(text: str) -> int:
    """Its bytes in UTF-8."""
    return len(text.encode("utf-8", "replace"))


def cut_at(text: str, start: int, most: int) -> int:
    """Return how far the text from `start` goes in `most` bytes; at least one character."""
    kept = text[start : start + most].encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    end = start + max(1, len(kept))
    if end >= len(text):
        return len(text)
    near = max(start, end - _NEARBY)
    *_, last = (found.start() for found in _CLUSTER.finditer(text, near, end + 1))
    return last if last > near else end


def clipped(text: str, most: int) -> str:
    """The text, or its beginning and a mark that it goes on, in `most` bytes."""
    if size_of(text) <= most:
        return text
    room = most - size_of(_CUT_MARK)
    if room < _LONGEST_CHARACTER:
        return ""
    return text[: cut_at(text, 0, room)].rstrip() + _CUT_MARK


def parts(text: str, most: int) -> list[str]:
    """The whole text in pieces of at most `most` bytes, cut between paragraphs where possible."""
    return list(_parts(text, most))


def _parts(text: str, most: int) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = cut_at(text, start, most)
        if end < len(text):
            half = (start + end) // 2
            breaks = (text.rfind(mark, half, end) + len(mark) for mark in _BREAKS)
            end = next((at for at in breaks if at > half), end)
        yield text[start:end]
        start = end


def listed(names: Sequence[str], most: int, room: int, between: str = ", ") -> str:
    """The first of the names, at most so many in so many bytes, and how many are left out."""
    taken = 0
    for name in names[:most]:
        room -= size_of(name) + size_of(between)
        if room < 0:
            break
        taken += 1
    shown = between.join(names[:taken])
    return f"{shown} +{len(names) - taken:,} more" if taken < len(names) else shown


def fitted(head: str, lines: Sequence[str], room: int, more: Callable[[int], str]) -> str:
    """As many of the lines as there is room for; `more` words how many were left out."""
    taken = [head]
    size = size_of(head)
    reserve = size_of(more(len(lines))) + 1
    for index, line in enumerate(lines):
        size += size_of(line) + 1
        is_last = index == len(lines) - 1
        if size + (0 if is_last else reserve) > room:
            return "\n".join((*taken, more(len(lines) - index)))
        taken.append(line)
    return "\n".join(taken)
