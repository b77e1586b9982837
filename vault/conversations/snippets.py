"""Cuts out of a long message where something was found."""

from __future__ import annotations

import bisect
import unicodedata

import regex

from vault.search.terms import Analyser, Wanted

Places = tuple[tuple[int, int], ...]
_WIDTH = 160
_BEFORE = 40


def places_in(text: str, analyser: Analyser, wanted: Wanted) -> Places:
    """Where in a text the wanted terms are, in characters of the text as it is."""
    if unicodedata.is_normalized("NFC", text):
        return tuple((each.start, each.end) for each in analyser.places(text, wanted))
    # The index holds composed characters; none is composed across what is drawn as one.
    parts: list[str] = []
    origins: list[tuple[int, int]] = []
    for cluster in regex.finditer(r"\X", text):
        composed = unicodedata.normalize("NFC", cluster.group())
        parts.append(composed)
        origins += [cluster.span()] * len(composed)
    found = analyser.places("".join(parts), wanted)
    return tuple((origins[each.start][0], origins[each.end - 1][1]) for each in found)


def snippet_of(text: str, places: Places) -> tuple[str, Places]:
    """The stretch with the most places, its line breaks as spaces, and the places in it."""
    start, end = _window(text, places)
    head, tail = "…" if start else "", "…" if end < len(text) else ""
    shift = start - len(head)
    inside = tuple(
        (place[0] - shift, place[1] - shift)
        for place in places
        if place[0] >= start and place[1] <= end
    )
    body = "".join(" " if character in "\n\r\t" else character for character in text[start:end])
    return f"{head}{body}{tail}", inside


def _window(text: str, places: Places) -> tuple[int, int]:
    if len(text) <= _WIDTH:
        return 0, len(text)
    starts = [place[0] for place in places] or [0]
    best, most = starts[0], 0
    for index, start in enumerate(starts):
        count = bisect.bisect_left(starts, start + _WIDTH - _BEFORE) - index
        if count > most:
            best, most = start, count
    start = max(0, min(best - _BEFORE, len(text) - _WIDTH))
    return _at_word(text, start, best), _at_word_end(text, min(len(text), start + _WIDTH))


def _at_word(text: str, start: int, found: int) -> int:
    """Begin after a space, where there is one before what was found."""
    if not start:
        return 0
    space = text.find(" ", start, found)
    return space + 1 if space >= 0 else start


def _at_word_end(text: str, end: int) -> int:
    if end == len(text):
        return end
    space = text.rfind(" ", end - _BEFORE // 2, end)
    return space if space > 0 else end
