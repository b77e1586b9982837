"""Finds several texts in a stream of characters, with no more held back than must be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache


class Seeker:
    """Fed one character at a time; whichever text is complete first counts, of several the longest.

    Linear in what it is fed, however the texts repeat themselves.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(texts)
        self._depths = [0] * len(self._texts)

    @property
    def held(self) -> int:
        """How many of the last characters may still be the beginning of a text."""
        return max(self._depths, default=0)

    def advance(self, character: str) -> str | None:
        """Take a character; the text that ends with it, after which all begins anew."""
        found = ""
        for index, text in enumerate(self._texts):
            borders, depth = _borders(text), self._depths[index]
            while depth and text[depth] != character:
                depth = borders[depth - 1]
            depth += text[depth] == character
            self._depths[index] = depth
            if depth == len(text) > len(found):
                found = text
        if not found:
            return None
        self.reset()
        return found

    def reset(self) -> None:
        """Nothing fed so far counts any more."""
        self._depths = [0] * len(self._texts)


@lru_cache(maxsize=256)
def _borders(text: str) -> tuple[int, ...]:
    """For each beginning of `text`, how much of its end is a shorter beginning."""
    borders, depth = [0], 0
    for character in text[1:]:
        while depth and text[depth] != character:
            depth = borders[depth - 1]
        depth += text[depth] == character
        borders.append(depth)
    return tuple(borders)
