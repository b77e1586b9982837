"""Reads what a model gave as arguments, as leniently as the meaning is clear."""

from collections.abc import Mapping
from typing import TypeGuard

from vault.errors import ToolRefused
from vault.tools.offer import Tool

_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0", ""})
_LONGEST = 2000
_LARGEST = 10**15


class Arguments:
    """The arguments of one call; what is missing has the default of the tool's schema."""

    def __init__(self, tool: Tool, given: object) -> None:
        if not isinstance(given, Mapping):
            raise ToolRefused(f"{tool.name} takes an object of arguments: {_usage(tool)}.")
        self._tool = tool
        self._given = given

    def text(self, key: str) -> str:
        """A text, without the blanks around it. Raises ToolRefused."""
        value = self._value(key)
        if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
            value = " ".join(value)
        if _is_number(value):
            value = str(value)
        if not isinstance(value, str):
            raise self._refused(key, "a text")
        # A lone surrogate is no text, and nothing is called by one.
        return value[:_LONGEST].encode("utf-8", "replace").decode().strip()

    def needed(self, key: str) -> str:
        """A text that is not empty. Raises ToolRefused."""
        text = self.text(key)
        if not text:
            raise self._refused(key, "a text that is not empty")
        return text

    def choice(self, key: str) -> str:
        """One of the words that the schema lists. Raises ToolRefused."""
        words: list[str] = self._tool.parameters["properties"][key]["enum"]
        text = self.text(key).lower()
        if text not in words:
            raise self._refused(key, f"one of {', '.join(words)}")
        return text

    def number(self, key: str) -> int:
        """A whole number within the bounds of the schema. Raises ToolRefused."""
        value = self._value(key)
        try:
            number = int(float(value)) if isinstance(value, str) or _is_number(value) else None
        except (ValueError, OverflowError):
            number = None
        if number is None:
            raise self._refused(key, "a whole number")
        schema = self._tool.parameters["properties"][key]
        return int(min(max(number, schema["minimum"]), schema.get("maximum", number)))

    def flag(self, key: str) -> bool:
        """Yes or no. Raises ToolRefused."""
        value = self._value(key)
        word = str(value).strip().lower() if isinstance(value, str | bool) else None
        if _is_number(value):
            word = str(int(value))
        if word not in _YES | _NO:
            raise self._refused(key, "true or false")
        return word in _YES

    @property
    def is_forced(self) -> bool:
        """Whether the tool can be forced to say more, and is. Raises ToolRefused."""
        return "force" in self._tool.parameters["properties"] and self.flag("force")

    def _value(self, key: str) -> object:
        value = self._given.get(key)
        if value is not None:
            return value
        schema = self._tool.parameters["properties"][key]
        if "default" not in schema:
            raise self._refused(key, "given")
        return schema["default"]

    def _refused(self, key: str, what: str) -> ToolRefused:
        return ToolRefused(
            f"{self._tool.name}: “{key}” must be {what}. It takes {_usage(self._tool)}."
        )


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -_LARGEST < value < _LARGEST


def _usage(tool: Tool) -> str:
    properties: Mapping[str, Mapping[str, object]] = tool.parameters["properties"]
    listed = (
        f"{key} ({schema['type']}{', optional' if 'default' in schema else ''})"
        for key, schema in properties.items()
    )
    return ", ".join(listed) or "no arguments"
