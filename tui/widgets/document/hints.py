"""Letters over the links in sight; typing them follows one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

LETTERS = "asdfghjklqwertyuiopzxcvbnm"

LinkPlace = tuple[int, int]
"""A block and a place among its targets."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The links in sight by their labels, and what was typed so far."""

    places: dict[str, LinkPlace]
    typed: str = ""

    def type(self, letter: str) -> Hints | LinkPlace | None:
        """What a letter leads to: a link, fewer hints, or nothing."""
        typed = self.typed + letter
        if typed in self.places:
            return self.places[typed]
        if any(label.startswith(typed) for label in self.places):
            return Hints(self.places, typed)
        return None

    def labels(self) -> dict[LinkPlace, str]:
        """What is still to type for each link that can still be meant."""
        size = len(self.typed)
        return {
            place: label[size:]
            for label, place in self.places.items()
            if label.startswith(self.typed)
        }


def make_hints(places: Sequence[LinkPlace]) -> Hints:
    """Labels of one letter, of two when there are more links than letters; nobody has to wait."""
    size = 1
    while len(LETTERS) ** size < len(places):
        size += 1
    labels = ("".join(letters) for letters in itertools.product(LETTERS, repeat=size))
    return Hints(dict(zip(labels, places, strict=False)))
