"""Tells by its shape which program wrote a chat."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from vault.conversations.exporting import FORM, VERSION, ChatDocument
from vault.conversations.foreign.chatgpt import read_chatgpt
from vault.conversations.foreign.claude import read_claude
from vault.conversations.foreign.json_reading import elements, list_in
from vault.conversations.foreign.lm_studio import read_lm_studio
from vault.conversations.importing import Skipped

Read = ChatDocument | Skipped


def chats_in(content: bytes, instead: datetime) -> Iterator[Read]:
    """The chats of a JSON file; `instead` stands for times that are missing.

    Raises ImportRefused when it cannot be read at all.
    """
    for number, element in enumerate(elements(content), 1):
        if isinstance(element, Skipped):
            yield element
        else:
            yield from _chats_of(element, f"number {number}", instead)


def _chats_of(value: Any, what: str, instead: datetime) -> Iterator[Read]:
    if not isinstance(value, dict):
        yield Skipped(what, "it is no chat")
    elif value.get("format") == FORM:
        yield from _own(value)
    elif isinstance(value.get("mapping"), dict):
        yield read_chatgpt(value, instead)
    elif isinstance(value.get("chat_messages"), list):
        yield read_claude(value, instead)
    elif isinstance(value.get("messages"), list):
        yield read_lm_studio(value, instead)
    elif isinstance(value.get("conversations"), list):
        for number, each in enumerate(value["conversations"], 1):
            yield from _chats_of(each, f"number {number}", instead)
    else:
        yield Skipped(what, "no form of chats that zib knows")


def _own(value: dict[str, Any]) -> Iterator[Read]:
    version = value.get("version")
    if not isinstance(version, int) or version > VERSION:
        yield Skipped("the file", "a newer zib wrote it; update zib to read it")
        return
    for number, each in enumerate(list_in(value, "chats"), 1):
        try:
            yield msgspec.convert(each, ChatDocument)
        except (msgspec.ValidationError, RecursionError) as error:
            yield Skipped(f"chat {number}", f"it is damaged: {error}")
