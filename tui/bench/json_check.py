"""A second opinion on whether JSON is what a schema asks for: shares nothing with the engine.

Knows the keywords the bench uses, and refuses to judge by a schema with others.
"""

from __future__ import annotations

import datetime
import ipaddress
import json
import re
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

Schema = Mapping[str, Any]
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class UnknownKeyword(Exception):
    """The schema uses what this checker does not know."""


def complaint(text: str, schema: Schema) -> str:
    """What is wrong with a JSON document; nothing when it is right. Raises UnknownKeyword."""
    try:
        value = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError) as error:
        return f"no JSON: {error}"
    if re.search(r"\s", _STRING.sub("", text)):
        return "blanks between the parts"
    return "" if _Check(schema).holds(value, schema) else "not what the schema asks for"


class _Check:
    def __init__(self, root: Schema) -> None:
        self._root = root

    def holds(self, value: Any, schema: Schema) -> bool:
        """Whether every keyword of the schema is kept."""
        return all(
            self._keeps(keyword, wanted, value, schema) for keyword, wanted in schema.items()
        )

    def _keeps(self, keyword: str, wanted: Any, value: Any, schema: Schema) -> bool:
        if plain := _PLAIN.get(keyword):
            return plain(value, wanted)
        match keyword:
            case "$ref":
                return self.holds(value, self._target(wanted))
            case "anyOf" | "oneOf" | "allOf":
                return _is_right_count(keyword, [self.holds(value, each) for each in wanted])
            case "items" | "prefixItems":
                return self._keeps_items(keyword, value, wanted, schema)
            case "properties" | "additionalProperties":
                return self._keeps_properties(keyword, value, wanted, schema)
        raise UnknownKeyword(f"The checker does not know the keyword {keyword}.")

    def _keeps_items(self, keyword: str, value: Any, wanted: Any, schema: Schema) -> bool:
        if not isinstance(value, list):
            return True
        if keyword == "prefixItems":
            parts = zip(value, wanted, strict=False)
            return all(self.holds(each, part) for each, part in parts)
        rest = value[len(schema.get("prefixItems", ())) :]
        if isinstance(wanted, bool):
            return wanted or not rest
        return all(self.holds(each, wanted) for each in rest)

    def _keeps_properties(self, keyword: str, value: Any, wanted: Any, schema: Schema) -> bool:
        if not isinstance(value, dict):
            return True
        if keyword == "properties":
            return all(self.holds(value[key], wanted[key]) for key in value.keys() & wanted.keys())
        others = value.keys() - schema.get("properties", {}).keys()
        if isinstance(wanted, bool):
            return wanted or not others
        return all(self.holds(value[key], wanted) for key in others)

    def _target(self, pointer: str) -> Schema:
        target: Any = self._root
        for part in pointer.removeprefix("#").split("/")[1:]:
            target = target[part]
        found: Schema = target
        return found


def _is_right_count(keyword: str, held: list[bool]) -> bool:
    match keyword:
        case "anyOf":
            return any(held)
        case "oneOf":
            return sum(held) == 1
        case _:
            return all(held)


def _is_type(value: Any, wanted: str | list[str]) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    return any(_TYPES[name](value) for name in names)


def _has_format(value: Any, name: str) -> bool:
    if not isinstance(value, str):
        return True
    try:
        _FORMATS[name](value)
    except KeyError as error:
        raise UnknownKeyword(f"The checker does not know the format {name}.") from error
    except ValueError:
        return False
    return True


def _number(keep: Callable[[Decimal, Decimal], bool]) -> Callable[[Any, Any], bool]:
    return lambda value, bound: not isinstance(value, Decimal) or keep(value, Decimal(str(bound)))


def _size(
    kind: type[str | list[Any]], keep: Callable[[int, int], bool]
) -> Callable[[Any, Any], bool]:
    return lambda value, bound: not isinstance(value, kind) or keep(len(value), bound)


_TYPES: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "null": lambda value: value is None,
        "boolean": lambda value: isinstance(value, bool),
        "integer": lambda value: isinstance(value, Decimal) and value == value.to_integral_value(),
        "number": lambda value: isinstance(value, Decimal),
        "string": lambda value: isinstance(value, str),
        "array": lambda value: isinstance(value, list),
        "object": lambda value: isinstance(value, dict),
    }
)
_FORMATS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "date": datetime.date.fromisoformat,
        "uuid": uuid.UUID,
        "ipv4": ipaddress.IPv4Address,
    }
)
_PLAIN: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        "$defs": lambda value, wanted: True,
        "type": _is_type,
        "enum": lambda value, wanted: value in wanted,
        "const": lambda value, wanted: bool(value == wanted),
        "format": _has_format,
        "pattern": lambda value, wanted: (
            not isinstance(value, str) or re.search(wanted, value) is not None
        ),
        "required": lambda value, wanted: (
            not isinstance(value, dict) or all(name in value for name in wanted)
        ),
        "minimum": _number(lambda value, bound: value >= bound),
        "maximum": _number(lambda value, bound: value <= bound),
        "exclusiveMinimum": _number(lambda value, bound: value > bound),
        "exclusiveMaximum": _number(lambda value, bound: value < bound),
        "multipleOf": _number(lambda value, bound: value % bound == 0),
        "minLength": _size(str, lambda size, bound: size >= bound),
        "maxLength": _size(str, lambda size, bound: size <= bound),
        "minItems": _size(list, lambda size, bound: size >= bound),
        "maxItems": _size(list, lambda size, bound: size <= bound),
    }
)
