"""Schemas of many kinds with a question each; what they leave open is bounded, so answers end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Case:
    """One schema, and what the model is asked."""

    name: str
    question: str
    schema: Mapping[str, Any]


def _object(**properties: Any) -> dict[str, Any]:
    """Every property required and no other allowed."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_WORD = {"type": "string", "minLength": 1, "maxLength": 12}
_WHOLE = {"type": "integer", "minimum": 0, "maximum": 99}

CASES = (
    Case(
        "nested objects",
        "Describe a lens.",
        _object(name=_WORD, maker=_object(name=_WORD, since={**_WHOLE, "minimum": 3})),
    ),
    Case(
        "enum",
        "Is the harbour busy today?",
        _object(answer={"enum": ["yes", "no", "perhaps", None, 7]}),
    ),
    Case(
        "bounded array",
        "Which things are in the bag?",
        {"type": "array", "items": _WORD, "minItems": 2, "maxItems": 4},
    ),
    Case(
        "numbers in a range",
        "Where is it, and how sure are you?",
        _object(
            north={"type": "integer", "minimum": -90, "maximum": 90},
            share={"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.01},
            size={"type": "integer", "exclusiveMinimum": 10, "exclusiveMaximum": 13},
        ),
    ),
    Case(
        "pattern",
        "What is the code of the article?",
        _object(code={"type": "string", "pattern": "^[A-Z]{2,3}-[0-9]{4}$"}),
    ),
    Case(
        "formats",
        "When was it written, and by which machine?",
        _object(
            day={"type": "string", "format": "date"},
            machine={"type": "string", "format": "ipv4"},
        ),
    ),
    Case(
        "one of two kinds",
        "What is it?",
        {
            "oneOf": [
                _object(kind={"const": "book"}, pages=_WHOLE),
                _object(kind={"const": "film"}, minutes=_WHOLE),
            ]
        },
    ),
    Case(
        "any of several types",
        "How many are there?",
        _object(count={"anyOf": [_WHOLE, {"type": "null"}, {"type": "boolean"}, _WORD]}),
    ),
    Case(
        "definitions",
        "Name a person and a friend.",
        {
            "$defs": {"person": _object(name=_WORD, age=_WHOLE)},
            "type": "array",
            "items": {"$ref": "#/$defs/person"},
            "minItems": 1,
            "maxItems": 2,
        },
    ),
    Case(
        "keys in other scripts",
        "How large is it?",
        _object(größe=_WHOLE, 記憶={"enum": ["高い", "低い"]}, память={"type": "boolean"}),
    ),
    Case(
        "optional properties",
        "Describe a walk.",
        {
            "type": "object",
            "properties": {"from": _WORD, "to": _WORD, "hours": _WHOLE},
            "required": ["to"],
            "additionalProperties": False,
        },
    ),
    Case(
        "tuple",
        "Give a name, a number and whether it is true.",
        {
            "type": "array",
            "prefixItems": [_WORD, _WHOLE, {"type": "boolean"}],
            "items": False,
            "minItems": 3,
        },
    ),
    Case(
        "all of two",
        "Which day of the month?",
        {"allOf": [{"type": "integer", "minimum": 1}, {"type": "integer", "maximum": 31}]},
    ),
)
