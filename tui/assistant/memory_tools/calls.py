"""Calls and their results as they are stored with a chat, and what is made of broken ones."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from vault.conversations.values import Draft, Extras, MessageNode, ToolCall

_NAME = re.compile(r"[\"']?name[\"']?\s*[:=]\s*[\"']?([A-Za-z][\w.-]{0,63})")
_TAGGED = re.compile(r"function=([A-Za-z]\w{2,63})")
_FUNCTION = re.compile(r"([A-Za-z]\w{2,63})\s*[({\[]")
_UNREADABLE = "unreadable"
_LONGEST_UNREADABLE = 400


@dataclass(frozen=True, slots=True)
class Looked:
    """What a call brought. An error is a text too, which tells the model how to go on."""

    text: str
    is_error: bool = False
    seconds: float = 0.0


def unreadable_call(text: str) -> ToolCall:
    """Stands for what looked like a call and was none, so that the model can be told."""
    found = _NAME.search(text) or _TAGGED.search(text) or _FUNCTION.search(text)
    name = found[1] if found else _UNREADABLE
    return ToolCall(name, json.dumps({_UNREADABLE: text[:_LONGEST_UNREADABLE]}))


def with_own_id(call: ToolCall, answer: str, place: int, taken: Collection[str]) -> ToolCall:
    """The call under an id that no other call of the chat has; the model's own where it can be."""
    if call.id and call.id not in taken:
        return call
    key = f"{answer}\0{place}\0{call.name}\0{call.arguments}"
    id = "c" + blake2b(key.encode("utf-8", "replace"), digest_size=4).hexdigest()
    return ToolCall(call.name, call.arguments, id)


def read_arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call; nothing for what is no JSON object."""
    try:
        read = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def result_draft(call: ToolCall, looked: Looked) -> Draft:
    """A result to be stored."""
    told = {"seconds": round(looked.seconds, 3), "is_error": looked.is_error}
    return Draft(
        "tool", looked.text, extras=Extras(answers_call=call.id, recalled=json.dumps(told))
    )


def looked_of(node: MessageNode) -> Looked:
    """A stored result."""
    try:
        told: object = json.loads(node.extras.recalled or "{}")
    except (ValueError, RecursionError):
        told = {}
    facts: Mapping[str, object] = told if isinstance(told, dict) else {}
    seconds = facts.get("seconds")
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return Looked(
        node.text,
        facts.get("is_error") is True,
        float(seconds) if is_number and isinstance(seconds, int | float) else 0.0,
    )
