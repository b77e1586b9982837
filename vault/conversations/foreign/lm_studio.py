"""LM Studio's `*.conversation.json`: one chat a file, its messages in versions.

A version is a `singleStep` with `content: [{type: text, text}]`, or a `multiStep` with `steps` of
content blocks, of which those with `style: {type: thinking}` are thinking. `createdAt` is in
milliseconds; messages have no ids and no times.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from vault.conversations.exporting import ChatDocument
from vault.conversations.foreign.json_reading import list_in, map_in, number_in, text_in
from vault.conversations.foreign.times import time_of
from vault.conversations.importing import Skipped
from vault.conversations.sound import derived_id
from vault.conversations.values import (
    Attachment,
    ChatOptions,
    EndState,
    Extras,
    MessageNode,
    Role,
    Usage,
)

SOURCE = "lm-studio"
_ROLES = {"user", "assistant", "system"}
_ENDS: dict[str, EndState] = {
    "userStopped": "stopped",
    "maxPredictedTokensReached": "cut",
    "contextLengthReached": "cut",
    "failed": "failed",
}


def read_lm_studio(chat: dict[str, Any], instead: datetime) -> ChatDocument | Skipped:
    """One chat; `instead` stands for times that are missing."""
    created = time_of(chat.get("createdAt"), instead)
    title = text_in(chat, "name")
    given = list_in(chat, "messages")
    # The name of a chat may change, its first message does not.
    beginning = _texts(_versions(given[0])[0]) if given and _versions(given[0]) else []
    id = derived_id(SOURCE, str(chat.get("createdAt")), *beginning)
    messages: list[MessageNode] = []
    parent = ""
    for number, message in enumerate(given):
        versions = _versions(message)
        selected = number_in(message, "currentlySelected")
        chosen = int(selected) if selected is not None and 0 <= selected < len(versions) else 0
        after = parent
        for index, version in enumerate(versions):
            node = _node(derived_id(id, str(number), str(index)), parent, version, created)
            messages.append(node)
            after = node.id if index == chosen else after
        parent = after
    if not any(node.text.strip() for node in messages):
        return Skipped(f"chat “{title}”", "there is no message in it")
    return ChatDocument(
        id,
        created,
        time_of(chat.get("userLastMessagedAt"), created),
        tuple(messages),
        title,
        "user" if title else "nobody",
        parent,
        bool(chat.get("pinned")),
        options=ChatOptions(
            system_prompt=text_in(chat, "systemPrompt"),
            model=text_in(map_in(chat, "lastUsedModel"), "identifier", "indexedModelIdentifier"),
        ),
        source=SOURCE,
    )


def _versions(message: Any) -> list[dict[str, Any]]:
    versions = [each for each in list_in(message, "versions") if isinstance(each, dict)]
    if not versions and isinstance(message, dict) and "role" in message:
        return [message]
    return versions


def _node(id: str, parent: str, version: dict[str, Any], created: datetime) -> MessageNode:
    steps = [each for each in list_in(version, "steps") if isinstance(each, dict)]
    said = [
        text
        for step in steps
        if text_in(map_in(step, "style"), "type") != "thinking"
        for text in _texts(step)
    ]
    thought = [
        text
        for step in steps
        if text_in(map_in(step, "style"), "type") == "thinking"
        for text in _texts(step)
    ]
    made = [map_in(step, "genInfo") for step in steps if map_in(step, "genInfo")]
    stats = map_in(made[-1], "stats") if made else {}
    role = text_in(version, "role")
    sender = text_in(map_in(version, "senderInfo"), "senderName")
    return MessageNode(
        id,
        parent,
        cast(Role, role) if role in _ROLES else "assistant",
        "".join(said or _texts(version)),
        created,
        _ENDS.get(text_in(stats, "stopReason"), "complete"),
        "".join(thought),
        text_in(made[-1], "indexedModelIdentifier", "identifier") if made else sender,
        Extras(usage=_usage(stats), attachments=_attachments(version)),
    )


def _texts(holder: dict[str, Any]) -> list[str]:
    content = holder.get("content")
    if isinstance(content, str):
        return [content]
    parts = list_in(holder, "content")
    return [text_in(each, "text") for each in parts if text_in(each, "type") == "text"]


def _attachments(version: dict[str, Any]) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(text_in(each, "name", "identifier"), text_in(each, "identifier"))
        for each in list_in(version, "content")
        if text_in(each, "type") == "file"
    )


def _usage(stats: dict[str, Any]) -> Usage | None:
    if not stats:
        return None
    return Usage(
        prompt=_whole(stats, "promptTokensCount"),
        generated=_whole(stats, "predictedTokensCount"),
        tokens_per_second=min(number_in(stats, "tokensPerSecond") or 0.0, 1e9),
        first_token_seconds=min(number_in(stats, "timeToFirstTokenSec") or 0.0, 1e9),
    )


def _whole(stats: dict[str, Any], name: str) -> int:
    return int(min(max(number_in(stats, name) or 0, 0), 1 << 62))
