"""Reads JSON of strangers: nonsense costs one chat, what cannot be taken apart the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from vault.conversations.errors import ImportRefused
from vault.conversations.importing import Skipped
from vault.conversations.stored import storable

MOST_BYTES = 2 * 1024**3
# One value of Python's own is many times as large as its text.
_MOST_BYTES_OF_ONE = 256 * 1024**2
_FIRST = re.compile(rb"\s*([\[{])")


def elements(content: bytes) -> Iterator[Any]:
    """The members of a list, or the one object; `Skipped` for what cannot be read.

    Raises ImportRefused when nothing can.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    first = _FIRST.match(content)
    if first is None:
        raise ImportRefused("it is no JSON file of chats")
    if first[1] == b"{":
        yield _decoded(content, "the file")
        return
    try:
        raws = msgspec.json.decode(content, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        found = _decoded(content, "the file")
        if isinstance(found, Skipped):
            raise ImportRefused(found.why) from None
        yield from found
        return
    for number, raw in enumerate(raws, 1):
        yield _decoded(bytes(raw), f"number {number}")


def text_in(value: Any, *names: str) -> str:
    """The text under the first of these names that has one."""
    for name in names:
        found = value.get(name) if isinstance(value, dict) else None
        if isinstance(found, str) and found:
            return storable(found)
    return ""


def list_in(value: Any, name: str) -> list[Any]:
    """The list under a name; empty for anything else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def map_in(value: Any, name: str) -> dict[str, Any]:
    """The object under a name; empty for anything else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def number_in(value: Any, name: str) -> float | None:
    """The number under a name."""
    found = value.get(name) if isinstance(value, dict) else None
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return found if is_number else None


def as_json(value: Any) -> str:
    """A value as text again; a text stays what it is."""
    if isinstance(value, str):
        return storable(value)
    try:
        return storable(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return ""


def _decoded(content: bytes, what: str) -> Any:
    if len(content) > _MOST_BYTES_OF_ONE:
        return Skipped(what, f"it is larger than {_MOST_BYTES_OF_ONE // 1024**2} MiB")
    try:
        return msgspec.json.decode(content)
    except RecursionError:
        return Skipped(what, "it is nested too deeply")
    except msgspec.MsgspecError:
        pass
    try:
        # More lenient: lone surrogates, NaN, bytes that are not UTF-8.
        return json.loads(content.decode("utf-8", "replace"))
    except RecursionError:
        return Skipped(what, "it is nested too deeply")
    except ValueError as error:
        return Skipped(what, f"it is damaged: {error}")
