"""What the tier holds for the loaded model, and which of it serves a prompt best. No MLX here."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.worker.disk_tier_folder import Stored
from engine.worker.disk_tier_names import without_mark

LEAST_GAIN = 32
"""Tokens: fewer are computed faster than they are found."""
_TOKENS_READ_PER_COMPUTED = 16
"""So many tokens are read from a file in the time one takes to be computed, or more."""


@dataclass(frozen=True, slots=True)
class Match:
    """A stored prefix and how many of the prompt's tokens it saves."""

    stored: Stored
    usable: int

    @property
    def is_possible(self) -> bool:
        """Whether what is too much of it can be taken back."""
        return self.usable == len(self.stored.tokens) or self.stored.is_trimmable

    def pays_beyond(self, at_least: int) -> bool:
        """Whether reading the whole file costs less than computing what it saves."""
        gain = self.usable - at_least
        return gain >= LEAST_GAIN and gain * _TOKENS_READ_PER_COMPUTED >= len(self.stored.tokens)


class Catalogue:
    """Files come and go without its knowledge: a path may name nothing any more."""

    def __init__(self, stored: Iterable[Stored] = ()) -> None:
        self._stored = {each.path: each for each in stored}

    def __iter__(self) -> Iterator[Stored]:
        return iter(self._stored.values())

    def add(self, stored: Stored) -> None:
        """A file was written."""
        self._stored[stored.path] = stored

    def note_use(self, stored: Stored, now: float) -> None:
        """A file was read."""
        if stored.path in self._stored:
            self._stored[stored.path] = replace(stored, used_at=now)

    def remove(self, paths: Iterable[Path]) -> None:
        """Files are gone."""
        for path in paths:
            self._stored.pop(path, None)

    def forget(self, mark: str) -> None:
        """An owner's files are gone, and those shared with others have other names."""
        for stored in tuple(self._stored.values()):
            if mark in stored.marks:
                del self._stored[stored.path]
                if stored.marks != {mark}:
                    path = stored.path.with_name(without_mark(stored.path.name, mark))
                    self.add(replace(stored, path=path))

    def longest(self, prompt: array[int], at_least: int) -> Match | None:
        """The file that saves most of a prompt beyond `at_least` tokens; of equals the smallest.

        At least one token of the prompt is left over. A file is of use only where reading it pays.
        """
        matches = [
            Match(stored, min(common_length(stored.tokens, prompt), len(prompt) - 1))
            for stored in self._stored.values()
        ]
        useful = [match for match in matches if match.is_possible and match.pays_beyond(at_least)]
        return max(useful, key=lambda match: (match.usable, -match.stored.nbytes), default=None)

    def spellings(self, mark: str) -> list[array[int]]:
        """The tokens of an owner's files, latest first."""
        own = [stored for stored in self._stored.values() if mark in stored.marks]
        own.sort(key=lambda stored: stored.used_at, reverse=True)
        return [stored.tokens for stored in own]

    def covers(self, tokens: array[int]) -> bool:
        """Whether exactly these tokens can be had from a file."""
        return any(is_covered(tokens, each.tokens, each.is_trimmable) for each in self)

    def stored_part(self, tokens: array[int]) -> int:
        """How many of the first of these tokens could be had from a file."""
        matches = [Match(each, common_length(tokens, each.tokens)) for each in self]
        return max((match.usable for match in matches if match.is_possible), default=0)

    def made_needless_by(self, new: Stored) -> Collection[Path]:
        """Files whose tokens this one holds as well."""
        return [
            each.path
            for each in self
            if each.path != new.path and is_covered(each.tokens, new.tokens, new.is_trimmable)
        ]


def is_covered(tokens: array[int], by: array[int], is_trimmable: bool) -> bool:
    """Whether a cache of `by` gives one of `tokens`."""
    return tokens == by or (is_trimmable and common_length(tokens, by) == len(tokens))


def common_length(left: array[int], right: array[int]) -> int:
    """How many tokens two sequences begin with in common."""
    low, high = 0, min(len(left), len(right))
    if left[:high] == right[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low
