"""Calls without any tag: an answer that is nothing but JSON, as Llama 3 asks for a tool."""

from __future__ import annotations

import json
import re

_KEYS = ("name", "parameters", "arguments", "type", "function", "id")
_LONGEST = 16 * 1024
_BETWEEN = re.compile(r"[\s,;]*")
_BEGUN = re.compile(r'\s*\{\s*(?:"type"\s*:\s*"function"\s*,\s*)?"name"\s*:\s*"[^"]*"\s*,\s*"[pa]')
_DECODER = json.JSONDecoder()


class BareCalls:
    """Holds an answer back for as long as it may be one call or several, and nothing else."""

    def __init__(self) -> None:
        self._held = ""
        self._is_open = True

    def add(self, text: str) -> str:
        """Take what is said next; returns what is certain to be text."""
        if not self._is_open:
            return text
        self._held += text
        if _may_begin(self._held) and len(self._held) <= _LONGEST:
            return ""
        return self.let_go()

    def let_go(self) -> str:
        """What was held back, as text; nothing is held any more."""
        held, self._held, self._is_open = self._held, "", False
        return held

    def take(self) -> str:
        """The calls, when the answer is at its end and they are all of it."""
        if not _are_calls(self._held):
            return ""
        return self.let_go()


def parse_bare(text: str, tools: object) -> object:
    """Objects one after the other, between which semicolons may stand."""
    return _objects(text.strip())


def _may_begin(text: str) -> bool:
    """Whether what follows could make it a call: its first name tells."""
    rest = text.lstrip()
    for sign in ("{", '"'):
        if not rest.startswith(sign):
            return not rest
        rest = rest[1:].lstrip() if sign == "{" else rest[1:]
    return any(f'{key}"'.startswith(rest[: len(key) + 1]) for key in _KEYS)


def _are_calls(text: str) -> bool:
    try:
        found = _objects(text.strip())
    except ValueError:
        # An end is missing, which may be repaired.
        return text.count("{") > text.count("}") and bool(_BEGUN.match(text))
    return bool(found) and all(map(_is_call, found))


def _objects(text: str) -> list[object]:
    """Raises ValueError when there is anything else."""
    found: list[object] = []
    place = 0
    while place < len(text):
        if text[place] != "{":
            raise ValueError("It is more than a call.")
        try:
            value, place = _DECODER.raw_decode(text, place)
        except RecursionError as error:
            raise ValueError("It is nested too deep.") from error
        found.append(value)
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place
    return found


def _is_call(value: object) -> bool:
    if not isinstance(value, dict) or not set(value) <= set(_KEYS):
        return False
    has_name = any(isinstance(value.get(key), str | dict) for key in ("name", "function"))
    is_told = value.get("type") == "function" or isinstance(value.get("function"), dict)
    return has_name and (is_told or "parameters" in value or "arguments" in value)
