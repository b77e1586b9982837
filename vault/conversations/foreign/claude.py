"""Claude's `conversations.json`: a list of chats with `chat_messages`.

A message has `uuid, sender, text, content: [{type, text | thinking | name, input}], created_at,
attachments: [{file_name}], files`, in newer exports `parent_message_uuid` too.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from vault.conversations.exporting import ChatDocument
from vault.conversations.foreign.json_reading import as_json, list_in, number_in, text_in
from vault.conversations.foreign.times import time_of
from vault.conversations.importing import Skipped
from vault.conversations.sound import derived_id
from vault.conversations.values import Attachment, ChatOptions, Extras, MessageNode, ToolCall

SOURCE = "claude"


def read_claude(chat: dict[str, Any], instead: datetime) -> ChatDocument | Skipped:
    """One chat; `instead` stands for times that are missing."""
    created = time_of(chat.get("created_at"), instead)
    title = text_in(chat, "name")
    id = derived_id(SOURCE, text_in(chat, "uuid") or derived_id(title, str(created)))
    given = [each for each in list_in(chat, "chat_messages") if isinstance(each, dict)]
    known = {text_in(each, "uuid") for each in given} - {""}
    messages: list[MessageNode] = []
    # An export without parents is one line; one with parents is a tree.
    has_parents = any(text_in(each, "parent_message_uuid") in known for each in given)
    for number, message in enumerate(given):
        name = text_in(message, "uuid") or str(number)
        above = text_in(message, "parent_message_uuid")
        parent = derived_id(id, above) if above in known and above != name else ""
        if not has_parents and messages:
            parent = messages[-1].id
        before = messages[-1].created if messages else created
        messages.append(_node(derived_id(id, name), parent, message, before, number + 1))
    if not any(node.text.strip() or node.extras.tool_calls for node in messages):
        return Skipped(f"chat “{title}”", "there is no message in it")
    leaf = text_in(chat, "current_leaf_message_uuid")
    return ChatDocument(
        id,
        created,
        time_of(chat.get("updated_at"), created),
        tuple(messages),
        title,
        "user" if title else "nobody",
        derived_id(id, leaf) if leaf in known else messages[-1].id,
        bool(chat.get("is_starred")),
        options=ChatOptions(model=text_in(chat, "model")),
        source=SOURCE,
    )


def _node(
    id: str, parent: str, message: dict[str, Any], before: datetime, used: int
) -> MessageNode:
    blocks = list_in(message, "content")
    texts = [text_in(each, "text") for each in blocks if text_in(each, "type") == "text"]
    thinking = [text_in(each, "thinking") for each in blocks]
    calls = tuple(
        ToolCall(text_in(each, "name"), as_json(each.get("input", "")), text_in(each, "id"))
        for each in blocks
        if text_in(each, "type") == "tool_use"
    )
    text = "\n\n".join(each for each in texts if each) or text_in(message, "text")
    attachments = [
        Attachment(
            text_in(each, "file_name"),
            text_in(each, "file_uuid", "id"),
            text_in(each, "file_type"),
            int(min(max(number_in(each, "file_size") or 0, 0), 1 << 62)),
        )
        for name in ("attachments", "files")
        for each in list_in(message, name)
    ]
    pasted = [text_in(each, "extracted_content") for each in list_in(message, "attachments")]
    return MessageNode(
        id,
        parent,
        "user" if text_in(message, "sender") == "human" else "assistant",
        "\n\n".join(each for each in (text, *pasted) if each),
        time_of(message.get("created_at"), before),
        thinking="\n\n".join(each for each in thinking if each),
        extras=Extras(calls, attachments=tuple(attachments)),
        used=used,
    )
