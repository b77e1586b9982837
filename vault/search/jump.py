"""Finds pages by the letters of their names: `zdm` finds Zettelkasten and Digital Minimalism."""

import functools
import heapq
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import apsw

from vault.listing import Note
from vault.names import NOTE_SUFFIX, displayable
from vault.search.result import NamedPage, Span

_START, _NEXT, _PLAIN, _GAP = 8.0, 6.0, 1.0, 0.15
_WHOLE, _BEGINNING, _WORD, _WITHIN = 60.0, 30.0, 15.0, 2.0
_LONGEST = 100
_LEAST_OF_STRONG = 3.0


@dataclass(frozen=True, slots=True)
class JumpName:
    """A name to jump to, and what letters are compared with."""

    path: str
    name: str
    title: str
    folded: str


class JumpNames:
    """What the pages of a wiki are called, to be jumped to by any part of it."""

    def __init__(self, names: tuple[JumpName, ...]) -> None:
        self._names = names

    def find(self, text: str, limit: int) -> tuple[NamedPage, ...]:
        """Return the best pages: by name, by path where a text has a slash or no name fits it."""
        if "/" in text:
            return jump(self._paths + self._names, text, limit)
        return jump(self._names, text, limit) or jump(self._paths, text, limit)

    @functools.cached_property
    def _paths(self) -> tuple[JumpName, ...]:
        titles = {name.path: name.title for name in self._names}
        return tuple(
            jump_name(path, displayable(path)[: -len(NOTE_SUFFIX)], title)
            for path, title in titles.items()
        )


def jump_name(path: str, text: str, title: str) -> JumpName:
    """A name as it is shown and compared."""
    name = unicodedata.normalize("NFC", text.replace("_", " "))
    return JumpName(path, name, title, fold(name))


def listed_names(notes: Iterable[Note]) -> JumpNames:
    """The names that need no index: titles and paths."""
    return JumpNames(
        tuple(
            jump_name(note.path, note.title, note.title) for note in notes if not note.is_excluded
        )
    )


def read_names(connection: apsw.Connection) -> JumpNames:
    """Every name of every page that is not excluded."""
    rows = connection.execute(
        "SELECT DISTINCT page.path, name.text, page.title FROM name JOIN page"
        " ON page.id = name.page WHERE NOT is_excluded"
    )
    return JumpNames(tuple(jump_name(path, text, title) for path, text, title in rows))


def jump(names: tuple[JumpName, ...], text: str, limit: int) -> tuple[NamedPage, ...]:
    """Return the best name of each of the best pages."""
    wanted = fold("".join(text.split()))[:_LONGEST]
    whole = fold(" ".join(text.split()))
    if not wanted:
        return ()
    best: dict[str, tuple[float, JumpName]] = {}
    for name in names:
        if not _holds(name.folded, wanted):
            continue
        score = _score(name.folded, wanted, whole)
        if name.path not in best or score > best[name.path][0]:
            best[name.path] = (score, name)
    top = heapq.nsmallest(
        limit, best.values(), key=lambda each: (-each[0], each[1].name, each[1].path)
    )
    return tuple(
        NamedPage(name.path, name.name, name.title, score, _spans(name, wanted, whole))
        for score, name in top
    )


def without_weak(named: tuple[NamedPage, ...], text: str) -> tuple[NamedPage, ...]:
    """Leave out the pages that have the letters only here and there, where others have more."""
    least = _LEAST_OF_STRONG * sum(not letter.isspace() for letter in text[:_LONGEST])
    strong = tuple(each for each in named if each.score >= least)
    return strong or named


def fold(text: str) -> str:
    """Return letters without case and accents, as many as there were in NFC."""
    text = unicodedata.normalize("NFC", text)
    if text.isascii():
        return text.lower()
    return "".join(_folded(character) for character in text)


def _folded(character: str) -> str:
    bare = unicodedata.normalize("NFD", character)[0].casefold()
    return bare if len(bare) == 1 else character


def _holds(name: str, wanted: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in wanted)


def _score(name: str, wanted: str, whole: str) -> float:
    score = -0.05 * len(name)
    if name == whole:
        return score + _WHOLE + _points(name, _within(name, whole, 0))
    at = _whole_at(name, whole)
    if at is not None:
        bonus = _BEGINNING if at == 0 else _WORD if _is_start(name, at) else _WITHIN
        return score + bonus + _points(name, _within(name, whole, at))
    return score + _points(name, _places(name, wanted))


def _whole_at(name: str, whole: str) -> int | None:
    """Where the text stands as it is, at the start of a word if it does."""
    first = at = name.find(whole)
    while at > 0 and not _is_start(name, at):
        at = name.find(whole, at + 1)
    found = at if at >= 0 else first
    return found if found >= 0 else None


def _within(name: str, whole: str, at: int) -> list[int]:
    return [at + index for index, letter in enumerate(whole) if letter != " "]


def _points(name: str, places: list[int]) -> float:
    points, last = 0.0, -1
    for place in places:
        if _is_start(name, place):
            points += _START
        elif place == last + 1 or (place == last + 2 and name[last + 1] == " "):
            points += _NEXT
        else:
            points += _PLAIN - _GAP * min(place - last, 20)
        last = place
    return points


def _places(name: str, wanted: str) -> list[int]:
    """Where each letter is taken: the next one, or the start of a later word if the rest fits."""
    places: list[int] = []
    after = 0
    for index, letter in enumerate(wanted):
        near = name.find(letter, after)
        place = near
        if near > after or (near == after and not places):
            start = near
            while start >= 0 and not _is_start(name, start):
                start = name.find(letter, start + 1)
            if start >= 0 and _holds(name[start + 1 :], wanted[index + 1 :]):
                place = start
        places.append(place)
        after = place + 1
    return places


def _is_start(name: str, place: int) -> bool:
    return place == 0 or not name[place - 1].isalnum()


def _spans(name: JumpName, wanted: str, whole: str) -> tuple[Span, ...]:
    at = _whole_at(name.folded, whole)
    if at is not None:
        return ((at, at + len(whole)),)
    return tuple(_joined(_places(name.folded, wanted)))


def _joined(places: list[int]) -> Iterator[Span]:
    start = last = places[0]
    for place in places[1:]:
        if place != last + 1:
            yield start, last + 1
            start = place
        last = place
    yield start, last + 1
