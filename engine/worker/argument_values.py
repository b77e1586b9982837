"""Arguments of tool calls: plain JSON values, made to fit a schema where that is no guess.

Checked are types, required names, closed sets of names, enumerations, bounds of numbers and
alternatives; other words of JSON schema are left to the tool.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

DEEPEST = 32
_LARGEST = 2**63
_MOST_SHOWN = 8


def plain(value: object, depth: int = 0) -> Any:
    """A value as JSON has it. Raises ValueError for what JSON has not, or no reader can hold."""
    if depth > DEEPEST:
        raise ValueError(f"Its arguments are nested more than {DEEPEST} deep.")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int | float):
        if not math.isfinite(value) or (isinstance(value, int) and abs(value) >= _LARGEST):
            raise ValueError("A number in its arguments is too large.")
        return value
    if isinstance(value, list | tuple):
        return [plain(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {str(plain(_name(key))): plain(each, depth + 1) for key, each in value.items()}
    raise ValueError(f"Its arguments hold a {type(value).__name__}, which JSON has not.")


def _name(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"{key!r} is no name of an argument.")
    return key


def fitted(value: Any, schema: Mapping[str, Any], place: str) -> Any:
    """The value as `schema` wants it; `place` names it in the ValueError otherwise raised."""
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(alternatives, list) and alternatives:
        return _fitted_to_any(value, alternatives, place)
    value = _of_type(value, schema.get("type"), place)
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        shown = ", ".join(json.dumps(each, ensure_ascii=False) for each in allowed[:_MOST_SHOWN])
        raise ValueError(f"{_named(place)} must be one of {shown}.")
    if isinstance(value, dict):
        return _object(value, schema, place)
    if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        return [fitted(each, items, f"{place}[{at}]") for at, each in enumerate(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_bounds(value, schema, place)
    return value


def _fitted_to_any(value: Any, alternatives: Sequence[Any], place: str) -> Any:
    """Unchanged by preference: a text that could be a number stays a text where both will do."""
    kinds = [each for each in alternatives if isinstance(each, dict)]
    failure: ValueError | None = None
    changed: list[Any] = []
    for schema in kinds:
        try:
            read = fitted(value, schema, place)
        except ValueError as error:
            failure = failure or error
            continue
        if type(read) is type(value):
            return read
        changed.append(read)
    if changed:
        return changed[0]
    if failure is not None:
        raise failure
    return value


def _object(value: dict[str, Any], schema: Mapping[str, Any], place: str) -> dict[str, Any]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    needed = {name for name in required if isinstance(name, str)} if required else set()
    if missing := sorted(needed - value.keys()):
        names = ", ".join(_joined(place, name) for name in missing)
        raise ValueError(f"Missing: {names}.")
    if schema.get("additionalProperties") is False and (more := sorted(value.keys() - known)):
        names = ", ".join(_joined(place, name) for name in more)
        raise ValueError(f"Not known: {names}. Known are: {', '.join(known) or 'none'}.")
    read: dict[str, Any] = {}
    for name, each in value.items():
        rule = known.get(name)
        if not isinstance(rule, dict):
            read[name] = each
        elif each is not None or name in needed or _allows_null(rule):
            read[name] = fitted(each, rule, _joined(place, name))
    return read


def _allows_null(schema: Mapping[str, Any]) -> bool:
    alternatives = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return any(isinstance(each, dict) and each.get("type") == "null" for each in alternatives)


def _of_type(value: Any, kind: object, place: str) -> Any:
    if isinstance(kind, list):
        return _fitted_to_any(value, [{"type": each} for each in kind], place)
    if not isinstance(kind, str) or kind not in _TYPES or _is_of(value, kind):
        return value
    read = _read_as(value, kind)
    if not _is_of(read, kind):
        raise ValueError(f"{_named(place)} must be {_TYPES[kind]}.")
    return read


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _CLASSES[kind])


def _read_as(value: Any, kind: str) -> Any:
    """What a value of another type stands for, where there is no doubt."""
    if kind == "string":
        return json.dumps(value) if isinstance(value, bool | int | float) else value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return plain(int(value))
    if isinstance(value, str):
        try:
            return plain(json.loads(value.lower() if kind == "boolean" else value))
        except (ValueError, RecursionError):
            return value
    return value


def _check_bounds(value: float, schema: Mapping[str, Any], place: str) -> None:
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, int | float) and value < low:
        raise ValueError(f"{_named(place)} must be at least {low}.")
    if isinstance(high, int | float) and value > high:
        raise ValueError(f"{_named(place)} must be at most {high}.")


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _named(place: str) -> str:
    return place or "The arguments"


_TYPES: Mapping[str, str] = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_CLASSES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
