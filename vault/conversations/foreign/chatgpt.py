"""ChatGPT's `conversations.json`: a list of chats, each a mapping of nodes with parents.

A node has `message: {id, author: {role, name}, create_time, content: {content_type, parts},
metadata: {model_slug}, recipient}`; `current_node` is the end of the branch that was shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from vault.conversations.exporting import ChatDocument
from vault.conversations.foreign.json_reading import as_json, list_in, map_in, text_in
from vault.conversations.foreign.times import time_of
from vault.conversations.importing import Skipped
from vault.conversations.sound import derived_id
from vault.conversations.values import (
    NO_EXTRAS,
    Attachment,
    ChatOptions,
    Extras,
    MessageNode,
    Role,
    ToolCall,
)

SOURCE = "chatgpt"
_ROLES = {"user", "assistant", "tool", "system"}
_HIDDEN_KINDS = {"user_editable_context", "model_editable_context", "reasoning_recap"}


@dataclass(frozen=True, slots=True)
class _Said:
    text: str = ""
    thinking: str = ""
    attachments: tuple[Attachment, ...] = ()
    calls: tuple[ToolCall, ...] = ()


def read_chatgpt(chat: dict[str, Any], instead: datetime) -> ChatDocument | Skipped:
    """One chat; `instead` stands for times that are missing."""
    mapping = map_in(chat, "mapping")
    created = time_of(chat.get("create_time"), instead)
    title = text_in(chat, "title")
    own_id = text_in(chat, "conversation_id", "id") or derived_id(title, str(created))
    id = derived_id(SOURCE, own_id)
    messages = _Reading(id, mapping, created).messages()
    if not messages:
        return Skipped(f"chat “{title}”", "there is no message in it")
    return ChatDocument(
        id,
        created,
        time_of(chat.get("update_time"), created),
        tuple(messages),
        title,
        "user" if title else "nobody",
        _end(id, mapping, chat, messages),
        bool(chat.get("is_starred")),
        options=ChatOptions(model=text_in(chat, "default_model_slug")),
        source=SOURCE,
    )


class _Reading:
    """Walks the nodes from the top, so that what is left out hands its replies on."""

    def __init__(self, id: str, mapping: dict[str, Any], created: datetime) -> None:
        self._id, self._mapping, self._created = id, mapping, created
        self._children: dict[str, list[str]] = {}
        for name, node in mapping.items():
            parent = text_in(node, "parent")
            above = parent if parent in mapping and parent != name else ""
            self._children.setdefault(above, []).append(name)

    def messages(self) -> list[MessageNode]:
        """In an order with parents first."""
        found: list[MessageNode] = []
        seen: set[str] = set()
        waiting = [(name, "", "") for name in reversed(self._children.get("", []))]
        while waiting:
            name, parent, thinking = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            message = map_in(self._mapping.get(name), "message")
            said = _said(message)
            thinking = "\n\n".join(part for part in (thinking, said.thinking) if part)
            node = self._node(name, parent, message, replace(said, thinking=thinking))
            if node is not None:
                found.append(replace(node, used=len(found) + 1))
                parent, thinking = node.id, ""
            for reply in reversed(self._replies(name)):
                waiting.append((reply, parent, thinking))
        return found

    def _replies(self, name: str) -> list[str]:
        """In the order the node itself gives, where it gives one."""
        replies = self._children.get(name, [])
        listed = [each for each in list_in(self._mapping.get(name), "children") if each in replies]
        return [*dict.fromkeys(listed), *(each for each in replies if each not in listed)]

    def _node(
        self, name: str, parent: str, message: dict[str, Any], said: _Said
    ) -> MessageNode | None:
        author = map_in(message, "author")
        role = text_in(author, "role")
        metadata = map_in(message, "metadata")
        is_hidden = metadata.get("is_visually_hidden_from_conversation") is True
        is_empty = not said.text.strip() and not said.attachments and not said.calls
        if role not in _ROLES or is_empty or is_hidden:
            return None
        thinking = said.thinking if role == "assistant" else ""
        extras = Extras(said.calls, attachments=said.attachments)
        return MessageNode(
            derived_id(self._id, name),
            parent,
            cast(Role, role),
            said.text,
            time_of(message.get("create_time"), self._created),
            "interrupted" if message.get("status") == "in_progress" else "complete",
            thinking,
            text_in(metadata, "model_slug"),
            NO_EXTRAS if extras == Extras() else extras,
        )


def _said(message: dict[str, Any]) -> _Said:
    content = map_in(message, "content")
    kind = text_in(content, "content_type")
    if kind in _HIDDEN_KINDS:
        return _Said()
    if kind == "thoughts":
        thoughts = [text_in(each, "content", "summary") for each in list_in(content, "thoughts")]
        return _Said(thinking="\n\n".join(thought for thought in thoughts if thought))
    recipient = text_in(message, "recipient")
    text = _text(content)
    if recipient not in {"", "all"} and map_in(message, "author").get("role") == "assistant":
        return _Said(calls=(ToolCall(recipient, text),))
    attachments = [
        Attachment(
            text_in(each, "name"), text_in(each, "id"), text_in(each, "mime_type", "mimeType")
        )
        for each in list_in(map_in(message, "metadata"), "attachments")
    ]
    attachments += [
        Attachment(text_in(part, "content_type") or "attachment", text_in(part, "asset_pointer"))
        for part in list_in(content, "parts")
        if text_in(part, "asset_pointer")
    ]
    return _Said(text, attachments=tuple(attachments))


def _text(content: dict[str, Any]) -> str:
    parts = list_in(content, "parts")
    if parts:
        texts = [
            as_json(each) if isinstance(each, str) else text_in(each, "text") for each in parts
        ]
        return "\n\n".join(text for text in texts if text)
    return text_in(content, "text", "result")


def _end(
    id: str, mapping: dict[str, Any], chat: dict[str, Any], messages: list[MessageNode]
) -> str:
    """The end that was shown, or what is kept above it."""
    kept = {message.id for message in messages}
    name = text_in(chat, "current_node")
    for _ in range(len(mapping) + 1):
        if not name or derived_id(id, name) in kept:
            break
        name = text_in(mapping.get(name), "parent")
    return derived_id(id, name) if name else messages[-1].id
