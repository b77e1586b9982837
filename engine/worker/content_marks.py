"""Marks that go through a chat template with the text: what lies between them stays text.

They are characters that occur nowhere in the conversation nor in the template, so that no text can
forge one and none is lost.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.worker.control_tokens import ControlTokens

_FIRST, _LAST = 0xF0000, 0xFFFFD
"""A plane for private use, without meaning in any text."""
_PRIVATE = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_ROLE = "role"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a rendered prompt; what `is_text` becomes no control token."""

    text: str
    is_text: bool


@dataclass(frozen=True, slots=True)
class Marks:
    """Around a token that is to stay text, and between characters that are to stay apart."""

    opening: str
    closing: str
    rift: str

    @classmethod
    def absent_from(cls, *values: Any) -> Marks:
        """Three characters that none of the values holds."""
        held = {letter for value in values for text in _texts(value) for letter in text}
        free = (chr(code) for code in range(_FIRST, _LAST + 1) if chr(code) not in held)
        return cls(*itertools.islice(free, 3))

    def mark_turns(
        self, turns: Iterable[dict[str, Any]], control: ControlTokens
    ) -> list[dict[str, Any]]:
        """The same turns with the marks; roles are ours, and templates make tokens of them."""
        return [
            {
                key: inner if key == _ROLE else self.mark(inner, control)
                for key, inner in turn.items()
            }
            for turn in turns
        ]

    def mark(self, value: Any, control: ControlTokens) -> Any:
        """The same value with the marks in every text, names and keys included."""
        match value:
            case str():
                return self._marked(value, control)
            case dict():
                return {
                    self.mark(key, control): self.mark(inner, control)
                    for key, inner in value.items()
                }
            case list() | tuple():
                return [self.mark(inner, control) for inner in value]
            case _:
                return value

    def split(self, rendered: str) -> Iterator[Piece]:
        """The rendered prompt in pieces, without the marks."""
        pattern = f"{self.opening}([^{self.opening}{self.closing}{self.rift}]*){self.closing}"
        parts = re.split(f"{pattern}|[{self.opening}{self.closing}{self.rift}]", rendered)
        # Every other part is what the group caught: a token, or None for a mark that a template
        # has torn from its pair.
        for index, text in enumerate(parts):
            if text:
                yield Piece(text, is_text=index % 2 == 1)

    def _marked(self, text: str, control: ControlTokens) -> str:
        parts: list[str] = []
        place = 0
        for danger in control.find(text):
            inside = text[danger.start : danger.end]
            parts.append(text[place : danger.start])
            parts.append(
                f"{self.opening}{inside}{self.closing}" if danger.is_token else inside + self.rift
            )
            place = danger.end
        whole = "".join([*parts, text[place:]])
        if not whole.strip():
            return whole
        # Inside the outer blanks, which a template may strip.
        begin = len(whole) - len(whole.lstrip())
        end = len(whole.rstrip())
        head = self.rift if control.may_end_one(text) else ""
        tail = self.rift if control.may_begin_one(text) else ""
        return f"{whole[:begin]}{head}{whole[begin:end]}{tail}{whole[end:]}"


def _texts(value: Any) -> Iterable[str]:
    """The private characters of every text in a value."""
    match value:
        case str():
            yield from _PRIVATE.findall(value)
        case dict():
            for key, inner in value.items():
                yield from _texts(key)
                yield from _texts(inner)
        case list() | tuple():
            for inner in value:
                yield from _texts(inner)
