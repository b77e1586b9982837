"""Reads JSON as small models write it: one pass, no evaluation, bounded depth.

Beyond JSON: text around it, code fences, single quotes, bare keys, Python's literals, commas too
many, and ends that are missing.
"""

from __future__ import annotations

import json
import re

DEEPEST = 32
_BLANK = re.compile(r"[\s,;]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][-+]?\d{1,3})?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_$][\w$.-]{0,200}")
_COLON = re.compile(r"\s*(?::|=>|=)\s*")
_CONTAINER = re.compile(r"[{\[]")
_PLAIN = {quote: re.compile(rf"[^\\{quote}]+") for quote in "\"'"}
_FOUR_DIGITS = re.compile(r"[0-9a-fA-F]{4}")
_LOW_HALF = re.compile(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_LITERALS: dict[str, bool | None] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


def read_relaxed(text: str) -> list[object]:
    """Every object or list in a text, outermost ones. Raises ValueError when there is none."""
    reader, values = _Reader(text), list[object]()
    while reader.finds_container():
        values.append(reader.value(0))
    if not values:
        raise ValueError("There is no JSON object in it.")
    return values


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self.place = 0

    def finds_container(self) -> bool:
        found = _CONTAINER.search(self._text, self.place)
        self.place = found.start() if found else len(self._text)
        return found is not None

    def value(self, depth: int) -> object:
        if depth > DEEPEST:
            raise ValueError(f"It is nested more than {DEEPEST} deep.")
        character = self._text[self.place : self.place + 1]
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._list(depth)
        if character in {'"', "'"}:
            return self._string(character)
        if number := _NUMBER.match(self._text, self.place):
            self.place = number.end()
            return json.loads(number[0])
        word = _WORD.match(self._text, self.place)
        if word and word[0] in _LITERALS:
            self.place = word.end()
            return _LITERALS[word[0]]
        raise ValueError(f"It makes no sense from {self._rest()} on.")

    def _object(self, depth: int) -> dict[str, object]:
        self.place += 1
        members: dict[str, object] = {}
        while not self._is_at_end("}"):
            key = self._key()
            colon = _COLON.match(self._text, self.place)
            if colon is None:
                raise ValueError(f"A colon is missing before {self._rest()}.")
            self.place = colon.end()
            members[key] = self.value(depth + 1)
        return members

    def _list(self, depth: int) -> list[object]:
        self.place += 1
        items: list[object] = []
        while not self._is_at_end("]"):
            items.append(self.value(depth + 1))
        return items

    def _is_at_end(self, closer: str) -> bool:
        blank = _BLANK.match(self._text, self.place)
        self.place = blank.end() if blank else self.place
        if self._text.startswith("```", self.place):
            self.place += 3
            return True
        if self._text.startswith(closer, self.place):
            self.place += 1
            return True
        return self.place >= len(self._text)

    def _key(self) -> str:
        character = self._text[self.place]
        if character in {'"', "'"}:
            return self._string(character)
        word = _WORD.match(self._text, self.place)
        if word is None:
            raise ValueError(f"A name is missing before {self._rest()}.")
        self.place = word.end()
        return word[0]

    def _string(self, quote: str) -> str:
        parts: list[str] = []
        place = self.place + 1
        plain = _PLAIN[quote]
        while place < len(self._text):
            if run := plain.match(self._text, place):
                parts.append(run[0])
                place = run.end()
            elif self._text[place] == quote:
                self.place = place + 1
                return "".join(parts)
            else:
                said, place = self._escaped(place + 1)
                parts.append(said)
        raise ValueError("A text in it does not end.")

    def _escaped(self, place: int) -> tuple[str, int]:
        character = self._text[place : place + 1]
        if character == "u" and (code := _FOUR_DIGITS.match(self._text, place + 1)):
            unit = chr(int(code[0], 16))
            if unit < "\ud800" or unit > "\udbff":
                return unit, code.end()
            low = _LOW_HALF.match(self._text, code.end())
            if low is None:
                return unit, code.end()
            return str(json.loads(f'"\\u{code[0]}{low[0]}"')), low.end()
        return _ESCAPES.get(character, character), place + 1

    def _rest(self) -> str:
        return repr(self._text[self.place : self.place + 20])
