"""Keeps a model from looking things up for ever: what it asked before, and how often it asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MOST_CALLS = 25
MOST_REFUSED = 3

_REPEATED = (
    "You asked exactly this before; its result is above. Ask for something else (memory_section"
    " reads on, memory_links tells what is near), or answer with what you have."
)
_TOO_MANY = f"That is more than {MOST_CALLS} calls for one question: answer with what you have."


class CallGuard:
    """Counts the calls of one turn. `defaults` are the arguments a tool takes where none is given.

    A turn that is over has no more tools: the model must answer.
    """

    def __init__(self, defaults: Mapping[str, Mapping[str, object]]) -> None:
        self._defaults = defaults
        self._asked: set[str] = set()
        self._refused = 0
        self.count = 0

    @property
    def is_over(self) -> bool:
        """Whether the model has looked up enough."""
        return self.count >= MOST_CALLS or self._refused >= MOST_REFUSED

    def refusal(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Count a call; why it is not carried out, or nothing when it is."""
        self.count += 1
        if self.count > MOST_CALLS:
            return _TOO_MANY
        known = self._defaults.get(name, {})
        meant = {**known, **{key: value for key, value in arguments.items() if value is not None}}
        key = json.dumps([name, meant], sort_keys=True, default=str)
        if key in self._asked:
            self._refused += 1
            return _REPEATED
        self._asked.add(key)
        return ""

    def note_refused(self) -> None:
        """A call that was to be carried out could not be."""
        self._refused += 1

    def note_malformed(self) -> None:
        """What the model said was no call at all."""
        self.count += 1
        self._refused += 1
