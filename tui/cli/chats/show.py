"""`zib chats list|show|info`: look at the chats."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from tui.cli.chats.opened import place_called, with_chats
from tui.cli.memory.printed import counted, print_json, print_lines, print_text
from tui.cli.run import print_error
from tui.text.line import to_line
from vault.conversations.exporting import chat_document
from vault.conversations.markdown import to_markdown
from vault.conversations.reading import SHORT
from vault.conversations.store import Conversations
from vault.conversations.values import Chat
from vault.names import displayable


def run_list(limit: int, tags: Sequence[str], is_trash: bool, is_json: bool) -> int:
    """One line a chat."""

    def show(store: Conversations) -> int:
        chats = store.trash.listed()[:limit] if is_trash else store.chats.listed(limit, tags)
        if is_json:
            print_json([chat_told(chat) for chat in chats])
            return 0
        print_lines(_line(chat) for chat in chats)
        if not chats and sys.stdout.isatty():
            print_error("The trash is empty." if is_trash else "There are no chats yet.")
        return 0

    return with_chats(show)


def run_show(name: str, has_thinking: bool, is_json: bool) -> int:
    """A chat as Markdown; the branch of a message when its name was given."""

    def show(store: Conversations) -> int:
        place = place_called(store, name)
        chat = store.chats.get(place.chat)
        document = chat_document(chat, store.messages.tree(chat.id))
        if place.message:
            document = replace(document, leaf=place.message)
        if is_json:
            told = {"id": chat.id, "citation": store.messages.citation(chat.id)}
            print_json({**told, **msgspec.to_builtins(document)})
            return 0
        text = to_markdown(document, chat.name, has_thinking)
        print_text(text, text.encode())
        return 0

    return with_chats(show)


def run_info(is_json: bool) -> int:
    """What there is and where it lies."""

    def show(store: Conversations) -> int:
        facts = _facts(store)
        if is_json:
            print_json(facts)
            return 0
        print_lines(_info_lines(facts))
        return 0

    return with_chats(show)


def chat_told(chat: Chat) -> dict[str, Any]:
    """A chat for programs."""
    told: dict[str, Any] = msgspec.to_builtins(chat)
    return {**told, "name": chat.name, "short_id": chat.id[:SHORT]}


def _line(chat: Chat) -> str:
    pin = "*" if chat.is_pinned else " "
    tags = "".join(f" #{tag}" for tag in chat.tags)
    when = chat.deleted or chat.changed
    return (
        f"{chat.id[:SHORT]} {pin} {_day(when)}  {chat.messages:4}  "
        f"{to_line(chat.name)}{to_line(tags)}"
    )


def _day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _facts(store: Conversations) -> dict[str, Any]:
    chats, deleted = store.chats.listed(), store.trash.listed()
    assert store.file is not None  # the command line opens no chats in memory
    folder = store.file.parent
    aside = sorted(folder.glob("*.damaged-*")) + sorted(folder.glob("*.before-version-*"))
    return {
        "file": displayable(str(store.file)),
        "bytes": sum(_size(file) for file in folder.glob(f"{store.file.name}*")),
        "chats": len(chats),
        "messages": sum(chat.messages for chat in chats),
        "in_trash": len(deleted),
        "set_aside": [displayable(str(file)) for file in aside],
    }


def _size(file: Path) -> int:
    return file.stat().st_size


def _info_lines(facts: dict[str, Any]) -> list[str]:
    lines = [
        to_line(facts["file"]),
        f"{counted(facts['chats'], 'chat')} · {counted(facts['messages'], 'message')}"
        f" · {facts['bytes'] / 1024:,.0f} KiB",
    ]
    if facts["in_trash"]:
        lines.append(f"{counted(facts['in_trash'], 'chat')} in the trash")
    lines += [f"kept beside it: {to_line(file)}" for file in facts["set_aside"]]
    return lines
