"""Tools as they are offered, and whether a call's arguments are what their schema wants."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.protocol import Tool
from engine.serving.backend import Refused
from engine.worker.argument_values import fitted

MOST_TOOLS = 64
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}", re.ASCII)
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool with its schema read; `parameters` has a type at every place templates look at."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def described(self) -> dict[str, Any]:
        """As chat templates want it."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": dict(self.parameters),
            },
        }

    def fitted(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the schema wants them, where that is no guess. Raises ValueError."""
        read: dict[str, Any] = fitted(dict(arguments), self.parameters, "")
        return read


def offered(tools: Sequence[Tool]) -> tuple[OfferedTool, ...]:
    """Read what a request offers. Raises Refused."""
    if len(tools) > MOST_TOOLS:
        raise Refused("bad-request", f"{len(tools)} tools are too many: {MOST_TOOLS} is the most.")
    read: dict[str, OfferedTool] = {}
    for tool in tools:
        if not _NAME.fullmatch(tool.name):
            raise Refused("bad-request", f"{tool.name!r} is no name for a tool.")
        if tool.name in read:
            raise Refused("bad-request", f"Two tools are called {tool.name}.")
        read[tool.name] = OfferedTool(tool.name, tool.description, _parameters(tool))
    return tuple(read.values())


def _parameters(tool: Tool) -> Mapping[str, Any]:
    try:
        schema = json.loads(tool.parameters or "{}")
    except (ValueError, RecursionError) as error:
        raise Refused("bad-request", f"The schema of {tool.name} is no JSON: {error}.") from error
    if not isinstance(schema, dict):
        raise Refused("bad-request", f"The schema of {tool.name} is not an object.")
    if not isinstance(schema.get("properties", {}), dict):
        raise Refused("bad-request", f"The properties of {tool.name} are not an object.")
    if schema.get("type", "object") != "object":
        raise Refused("bad-request", f"The arguments of {tool.name} must be an object.")
    try:
        return _typed({"properties": {}, **schema, "type": "object"}, 0)
    except ValueError as error:
        raise Refused("bad-request", f"The schema of {tool.name} is wrong: {error}") from error


def _typed(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """A schema in which every place has one type, as templates that print types expect."""
    if depth > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} deep.")
    typed = dict(schema)
    kinds = [kind for kind in _kinds(schema) if kind != "null"]
    typed["type"] = kinds[0] if kinds else "string"
    if isinstance(schema.get("type"), list):
        # What was said is kept for checking arguments.
        typed.setdefault("anyOf", [{"type": kind} for kind in schema["type"]])
        if "null" in schema["type"]:
            typed["nullable"] = True
    if isinstance(properties := schema.get("properties"), dict):
        typed["properties"] = {
            str(name): _typed(each if isinstance(each, dict) else {}, depth + 1)
            for name, each in properties.items()
        }
    if isinstance(items := schema.get("items"), dict):
        typed["items"] = _typed(items, depth + 1)
    return typed


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    """The types a schema allows, as far as it says."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [each for each in kind if isinstance(each, str)]
    for name in ("anyOf", "oneOf", "allOf"):
        alternatives = schema.get(name)
        if isinstance(alternatives, list):
            return [
                each["type"]
                for each in alternatives
                if isinstance(each, dict) and isinstance(each.get("type"), str)
            ]
    if "properties" in schema:
        return ["object"]
    if "items" in schema:
        return ["array"]
    values = schema.get("enum")
    return [_JSON_TYPES.get(type(value), "string") for value in values or ()][:1]


_JSON_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}
