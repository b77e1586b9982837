"""Finding and replacing in a text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import regex

# A pattern that needs longer is one that would never end.
_SECONDS = 0.5
_MOST_FOUND = 20_000
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for. Without capital letters case does not count."""

    text: str
    is_pattern: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether case counts."""
        plain = regex.sub(r"\\.", "", self.text) if self.is_pattern else self.text
        return plain != plain.lower()


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """The places that were found, in order; `problem` says why there can be none."""

    places: tuple[Place, ...] = ()
    problem: str = ""


def find_places(text: str, sought: Sought) -> FoundPlaces:
    """Find every place that does not overlap one before it; a place of no length is none."""
    if not sought.text:
        return FoundPlaces()
    try:
        found = _compiled(sought).finditer(text, timeout=_SECONDS)
        places = []
        for each in found:
            if each.start() < each.end():
                places.append(each.span())
            if len(places) == _MOST_FOUND:
                break
    except regex.error as error:
        return FoundPlaces(problem=f"not a pattern: {error}")
    except TimeoutError:
        return FoundPlaces(problem="this pattern takes too long")
    return FoundPlaces(tuple(places))


def replaced(text: str, sought: Sought, place: Place, by: str) -> str | None:
    """What stands in a place after it is replaced; None when `by` names a group there is not."""
    if not sought.is_pattern:
        return by
    try:
        found = _compiled(sought).match(text, place[0], timeout=_SECONDS)
        return None if found is None else found.expand(by)
    except (regex.error, IndexError, TimeoutError):
        return None


def all_replaced(
    text: str, sought: Sought, places: Sequence[Place], by: str
) -> tuple[int, int, str] | None:
    """One change of the text, from one place to another, that replaces them all."""
    if not places:
        return None
    start, end = places[0][0], places[-1][1]
    pieces: list[str] = []
    done = start
    for place in places:
        new = replaced(text, sought, place, by)
        if new is None:
            return None
        pieces += (text[done : place[0]], new)
        done = place[1]
    return start, end, "".join(pieces)


def next_place(places: Sequence[Place], index: int) -> int:
    """The number of the place at or behind a character, the first one behind the last."""
    at = bisect_left(places, (index, 0))
    return at if at < len(places) else 0


def place_before(places: Sequence[Place], index: int) -> int:
    """The number of the place before a character, the last one before the first."""
    return (bisect_left(places, (index, 0)) - 1) % len(places)


def _compiled(sought: Sought) -> regex.Pattern[str]:
    pattern = sought.text if sought.is_pattern else regex.escape(sought.text, special_only=True)
    flags = regex.MULTILINE | regex.VERSION0
    return regex.compile(pattern, flags if sought.is_exact else flags | regex.IGNORECASE)
