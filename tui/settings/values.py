"""From a TOML value or a piece of text to the value of a setting, and back.

A value that does not fit raises ValueError with what was expected; the caller says where it stood.
"""

import json
import math
import os
import re
import typing
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from tui.settings.keys import Key

AUTO = "auto"
_BOOLEANS = {"1": True, "true": True, "0": False, "false": False}
_SURROGATE = re.compile("[\ud800-\udfff]")


def from_value(key: Key, value: object) -> object:
    """A value that already has a type, as TOML or the command line gives it."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if key.is_optional and value == AUTO:
        return None
    if key.is_table:
        return _table(key, value)
    match key.reading:
        case "rows" if isinstance(value, int | float) and not isinstance(value, bool):
            return _rows(value)
        case "path" if isinstance(value, str):
            return _path(key, value)
        case _:
            return _checked(key, value, strict=True)


def from_text(key: Key, text: str) -> object:
    """A value written as text, as the environment gives it."""
    if key.is_optional and text.strip() == AUTO:
        return None
    match key.reading:
        case "permission":
            return text == "1"
        case "rows":
            return _rows(_number(text))
        case "path":
            return _path(key, text)
        case "plain" if key.is_list:
            return _listed(key, text)
        case "plain":
            return _plain(key, text)


def expected(key: Key) -> str:
    """What a value of this key looks like, in words."""
    words = _kind_in_words(key)
    return f'{words}, or "{AUTO}"' if key.is_optional else words


def to_toml(value: object) -> str:
    """The value as it is written in config.toml."""
    match value:
        case None:
            return f'"{AUTO}"'
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case tuple():
            return f"[{', '.join(to_toml(item) for item in value)}]"
        case Mapping():
            pairs = (f"{to_toml(name)} = {to_toml(item)}" for name, item in value.items())
            return "{" + ", ".join(pairs) + "}"
        case _:
            return repr(value)


def _plain(key: Key, text: str) -> object:
    if key.kind is bool:
        if text.strip().lower() not in _BOOLEANS:
            raise ValueError("1 or 0, or true or false")
        return _BOOLEANS[text.strip().lower()]
    if key.kind in {int, float}:
        return _checked(key, text.strip(), strict=False)
    return _checked(key, text, strict=True)


def _listed(key: Key, text: str) -> object:
    """One text, or a JSON list of them."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return _checked(key, value if isinstance(value, list) else [text], strict=True)


def _checked(key: Key, value: object, *, strict: bool) -> object:
    for text in value if isinstance(value, list | tuple) else (value,):
        if isinstance(text, str) and _SURROGATE.search(text):
            raise ValueError("text in UTF-8")
    # None is written "auto"; the text "null" must not slip through as None.
    target = typing.Annotated[key.kind, key.meta] if key.meta != msgspec.Meta() else key.kind
    try:
        result: object = msgspec.convert(value, target, strict=strict)
    except msgspec.ValidationError as error:
        raise ValueError(expected(key)) from error
    if isinstance(result, float) and not math.isfinite(result):
        raise ValueError(expected(key))
    return result


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _rows(value: float) -> int:
    if isinstance(value, int):
        return max(value, 1)
    return math.floor(value) if math.isfinite(value) and value >= 1 else 1


def _path(key: Key, text: str) -> object:
    if "\0" in text:
        raise ValueError("a path without NUL characters")
    return text.strip() or key.default


def _table(key: Key, value: object) -> Mapping[str, str]:
    try:
        return MappingProxyType(msgspec.convert(value, dict[str, str], strict=True))
    except msgspec.ValidationError as error:
        raise ValueError(expected(key)) from error


def _kind_in_words(key: Key) -> str:
    if key.is_table or key.is_list:
        return _collection_in_words(key)
    if typing.get_origin(key.kind) is typing.Literal:
        return "one of " + ", ".join(to_toml(choice) for choice in typing.get_args(key.kind))
    if key.kind is bool:
        return "true or false"
    if key.reading == "rows":
        return "a number"
    if key.kind is str:
        return "text in quotes"
    return ("a whole number" if key.kind is int else "a number") + _bounds(key.meta)


def _collection_in_words(key: Key) -> str:
    if key.is_table:
        return 'a table of lines like name = "text"'
    return f'a list of at most {key.meta.max_length} texts like ["one", "two"]'


def _bounds(meta: msgspec.Meta) -> str:
    if meta.gt is not None:
        return f" above {meta.gt:,} and at most {meta.le:,}"
    return f" from {meta.ge:,} to {meta.le:,}"
