"""Opens the list of all chats over the window, and goes where the user says."""

from __future__ import annotations

from typing import assert_never

from textual.app import App

from tui.assistant.assistant import Assistant
from tui.screens.chats.archive import ChatArchive
from tui.screens.chats.chosen import NewChat, OpenChat
from tui.screens.chats.screen import ChatsScreen
from tui.widgets.chat.pane import ChatPane
from vault.conversations.errors import ConversationError


async def choose_chat(app: App[None], pane: ChatPane, assistant: Assistant, words: str) -> None:
    """Let the user choose a chat, or begin another."""
    try:
        archive = ChatArchive(await assistant.chats.store(), assistant.engine)
    except ConversationError as error:
        pane.complain(str(error))
        return
    current = pane.current_chat
    chosen = await app.push_screen_wait(
        ChatsScreen(archive, words, current.id if current is not None else "")
    )
    match chosen:
        case None:
            pass
        case NewChat(is_temporary=is_temporary):
            await pane.start_new_chat(is_temporary=is_temporary)
        case OpenChat(id=chat, message=message):
            await _open(pane, chat, message)
        case _:
            assert_never(chosen)
    await assistant.settle()
    pane.prompt.focus()


async def _open(pane: ChatPane, chat: str, message: str) -> None:
    if not await pane.open_chat(chat) or not message or pane.current_chat is None:
        return
    try:
        await pane.current_chat.select(message)
    except ConversationError as error:
        pane.complain(str(error))
        return
    await pane.show_branch(message)
