"""Chats as JSON of our own form: everything, so that reading it back makes the same chats."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from vault.conversations.tree import ChatTree
from vault.conversations.values import (
    DEFAULT_OPTIONS,
    Chat,
    ChatOptions,
    MessageNode,
    TitledBy,
)

if TYPE_CHECKING:
    from vault.conversations.store import Conversations

FORM = "zibaldone chats"
VERSION = 1


@dataclass(frozen=True, slots=True)
class ChatDocument:
    """One chat with its messages; a parent comes before its replies."""

    id: str
    created: datetime
    changed: datetime
    messages: tuple[MessageNode, ...]
    title: str = ""
    titled_by: TitledBy = "nobody"
    leaf: str = ""
    is_pinned: bool = False
    tags: tuple[str, ...] = ()
    options: ChatOptions = DEFAULT_OPTIONS
    forked_from: str = ""
    source: str = ""


def chat_document(chat: Chat, tree: ChatTree) -> ChatDocument:
    """A chat as exported: without what is in the trash."""
    messages = tuple(
        replace(
            node,
            parent=tree.parent(node.id),
            state="interrupted" if node.state == "in-progress" else node.state,
        )
        for node in tree.nodes
    )
    return ChatDocument(
        chat.id,
        chat.created,
        chat.changed,
        messages,
        chat.title,
        chat.titled_by,
        tree.leaf,
        chat.is_pinned,
        chat.tags,
        chat.options,
        chat.forked_from,
        chat.source,
    )


def documents(store: Conversations, ids: Collection[str] | None = None) -> Iterator[ChatDocument]:
    """Chats for export, the latest used first; without ids all but the trash."""
    chats = store.chats.listed() if ids is None else [store.chats.get(id) for id in ids]
    for chat in chats:
        yield chat_document(chat, store.messages.tree(chat.id))


def to_json(chats: Iterator[ChatDocument]) -> Iterator[bytes]:
    """The file, piece by piece."""
    head = msgspec.json.encode({"format": FORM, "version": VERSION})
    yield head[:-1] + b',"chats":['
    before = b"\n"
    for chat in chats:
        yield before + msgspec.json.encode(chat)
        before = b",\n"
    yield b"\n]}\n"
