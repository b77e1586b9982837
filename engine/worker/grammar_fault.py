"""llguidance's reason for refusing a grammar, made into a sentence."""

from __future__ import annotations

import json
import re
from typing import assert_never

from engine.protocol import Choice, Grammar, JsonSchema, Pattern

TOO_COMPLEX = "it is too complex"
TOO_SLOW = "it takes too long to prepare"
NOTHING_FITS = "nothing satisfies it"
_LONGEST_REASON = 200

_REGEX_ERROR = re.compile(r"^error: (.+)$", re.MULTILINE)
_UNKNOWN_KEYS = re.compile(r"Unimplemented keys: (\[.*\])")
_RESOURCE = re.compile(r"Resource '(.*?)' is not present")
_UNSATISFIABLE = "Unsatisfiable schema: "
_PHRASES = (
    ("lookarounds not supported", r"look-around like \b, or ^ and $ in the middle, is impossible"),
    ("oneOf constraints are not supported", "the alternatives of oneOf may overlap; write anyOf"),
    ("NoExtension", NOTHING_FITS),
    ("fuel", TOO_COMPLEX),
    ("schema too large", TOO_COMPLEX),
    ("Unable to determine if regex is empty", TOO_COMPLEX),
    ("limit", TOO_COMPLEX),
    ("TooComplex", TOO_COMPLEX),
)


def refusal_sentence(grammar: Grammar, reason: str) -> str:
    """A sentence for the user, of a reason from `reason_of` or in the same words."""
    match grammar:
        case JsonSchema():
            name = "The JSON schema"
        case Pattern():
            name = "The regular expression"
        case Choice():
            name = "The choice"
        case _:
            assert_never(grammar)
    return f"{name} cannot be followed: {reason}."


def reason_of(message: str) -> str:
    """The part of llguidance's message that tells something, as a phrase."""
    if found := _REGEX_ERROR.search(message):
        return found[1]
    if found := _UNKNOWN_KEYS.search(message):
        return _unsupported(found[1])
    if found := _RESOURCE.search(message):
        return f"it refers to {found[1]}, and nothing is ever fetched"
    if message.startswith(_UNSATISFIABLE):
        return f"{NOTHING_FITS}: {_shortened(message.removeprefix(_UNSATISFIABLE))}"
    return next((phrase for mark, phrase in _PHRASES if mark in message), _shortened(message))


def _unsupported(keys: str) -> str:
    names = [f'"{key}"' for key in json.loads(keys)]
    if len(names) == 1:
        return f"the keyword {names[0]} is not supported"
    return f"the keywords {', '.join(names)} are not supported"


def _shortened(message: str) -> str:
    lines = message.strip().splitlines()
    text = lines[0].rstrip(".") if lines else "no reason was given"
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON] + "…"
