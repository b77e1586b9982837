"""Chats to list: fixed ones, hostile ones, and an app that hosts the list."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from tests.wiki_window.browse_wikis import Host
from tui.screens.chats.archive import ChatArchive
from tui.screens.chats.chosen import ChatChosen
from tui.screens.chats.screen import ChatsScreen
from vault.conversations.exporting import ChatDocument
from vault.conversations.store import Conversations, temporary_conversations
from vault.conversations.values import MessageNode

hardened = pytest.mark.skipif(os.environ.get("ZIB_HARDEN") != "1", reason="only in make harden")
MOMENT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Engine:
    """Remembers what it was told to forget."""

    def __init__(self) -> None:
        self.forgotten: list[str] = []

    async def forget(self, conversation: str) -> int:
        """Take it down."""
        self.forgotten.append(conversation)
        return 0


class ChatsApp(Host):
    """Opens the list and keeps what it answers."""

    def __init__(
        self, store: Conversations, words: str = "", theme: str = "zibaldone-dark"
    ) -> None:
        super().__init__(theme=theme)
        self.store = store
        self.engine = Engine()
        self.archive = ChatArchive(store, self.engine)
        self.answers: list[ChatChosen | None] = []
        self._words = words

    def on_mount(self) -> None:
        """Open it."""
        self.push_screen(ChatsScreen(self.archive, self._words), self.answers.append)


def id_of(name: str) -> str:
    """An id as the store makes them."""
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def chat(
    name: str,
    *said: str,
    title: str = "",
    days: float = 0,
    tags: tuple[str, ...] = (),
    is_pinned: bool = False,
) -> ChatDocument:
    """A chat of questions and answers in turn."""
    then = MOMENT - timedelta(days=days)
    nodes: list[MessageNode] = []
    for at, text in enumerate(said):
        parent = nodes[-1].id if nodes else ""
        role = "assistant" if at % 2 else "user"
        nodes.append(MessageNode(id_of(f"{name}-{at}"), parent, role, text, then))  # type: ignore[arg-type]  # one of the two roles
    return ChatDocument(
        id_of(name),
        then,
        then,
        tuple(nodes),
        title=title,
        titled_by="user" if title else "nobody",
        leaf=nodes[-1].id if nodes else "",
        is_pinned=is_pinned,
        tags=tags,
    )


CHATS = (
    chat("lens", "Which lens did I settle on?", "The 50 mm.", title="Lens for the trip", days=2),
    chat("bread", "How long does bread rise?", "About two hours.", days=0.1, tags=("kitchen",)),
    chat(
        "wiki",
        "What does the wiki say about gardens?",
        "Gardens need a lens of water in spring, and patience.",
        title="Gardens",
        days=90,
        is_pinned=True,
        tags=("garden", "home"),
    ),
    chat("cold", "界" * 60, "[red]cold[/] answer [/x]", title="[/x] [red]title[/]", days=800),
)


def store_of(chats: Sequence[ChatDocument] = CHATS) -> Conversations:
    """A store in memory with these chats."""
    store = temporary_conversations()
    store.importer.take(chats)
    return store
