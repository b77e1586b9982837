"""Big pastes as one short chip in the prompt; what is sent is the whole text."""

from __future__ import annotations

MOST_LINES = 20
MOST_CHARACTERS = 4_000


class Pastes:
    """Which text each chip stands for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def chip_for(self, text: str) -> str:
        """A chip no other text has."""
        lines = text.count("\n") + 1
        what = f"{lines:,} lines" if lines > MOST_LINES else f"{len(text):,} characters"
        chip, number = f"[pasted {what}]", 1
        while self._texts.get(chip, text) != text:
            number += 1
            chip = f"[pasted {what} #{number}]"
        self._texts[chip] = text
        return chip

    def expanded(self, text: str) -> str:
        """The text with what its chips stand for; what was pasted is left as it is."""
        parts: list[str] = []
        at = 0
        while (found := self._next(text, at)) is not None:
            start, chip = found
            parts += (text[at:start], self._texts[chip])
            at = start + len(chip)
        return "".join((*parts, text[at:]))

    def text_of(self, chip: str) -> str:
        """What a chip stands for."""
        return self._texts[chip]

    def spans(self, line: str) -> tuple[tuple[int, int], ...]:
        """Where chips are in a line."""
        found: list[tuple[int, int]] = []
        at = 0
        while (next_one := self._next(line, at)) is not None:
            start, chip = next_one
            at = start + len(chip)
            found.append((start, at))
        return tuple(found)

    def forget_all_but(self, text: str) -> None:
        """Keep only the chips of a text; an undo may bring it back."""
        self._texts = {chip: kept for chip, kept in self._texts.items() if chip in text}

    def _next(self, text: str, at: int) -> tuple[int, str] | None:
        places = [(text.find(chip, at), chip) for chip in self._texts]
        return min((place for place in places if place[0] >= 0), default=None)


def is_big(text: str) -> bool:
    """Whether a paste is shown as a chip."""
    return len(text) > MOST_CHARACTERS or text.count("\n") >= MOST_LINES
