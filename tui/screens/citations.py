"""From `conv:HASH` in an article or an answer to what it cites, and back again."""

from __future__ import annotations

from dataclasses import dataclass

from textual.screen import Screen
from textual.widget import Widget

from tui.assistant.assistant import Assistant
from tui.screens.arrangement import Arrangement
from tui.screens.question import Choice, QuestionScreen
from tui.widgets.chat.pane import ChatPane
from tui.widgets.chat.transcript import Transcript
from vault.conversations.errors import ConversationError
from vault.conversations.values import ChatOptions

OPEN = Choice("open", "Open it", "primary")
STAY = Choice("stay", "Stay here")


@dataclass(frozen=True, slots=True)
class _Left:
    """Where the user was: the chat, its chosen message, what had focus.

    `chat` is empty for one that is not stored: only another in the same way can be begun.
    """

    chat: str
    message: str
    focused: Widget | None
    options: ChatOptions
    is_temporary: bool


class CitationDesk:
    """Call from workers: leaving a temporary chat asks first."""

    def __init__(self, screen: Screen[None], assistant: Assistant, panes: Arrangement) -> None:
        self._screen = screen
        self._assistant = assistant
        self._panes = panes
        self._trail: list[_Left] = []

    @property
    def is_away(self) -> bool:
        """Whether there is a way back."""
        return bool(self._trail)

    async def follow(self, citation: str) -> bool:
        """Show the chat at the cited message; whether that could be."""
        pane = self._pane
        try:
            found = await self._assistant.chats.ask(lambda store: store.messages.find(citation))
        except ConversationError as error:
            pane.complain(str(error))
            return False
        here = pane.current_chat
        options, is_temporary = self._assistant.options, self._assistant.is_temporary
        stored = here.id if here and not is_temporary else ""
        left = _Left(stored, self._chosen, self._screen.focused, options, is_temporary)
        is_elsewhere = here is None or here.id != found.chat
        if is_elsewhere and not (await self._may_leave(pane) and await pane.open_chat(found.chat)):
            return False
        self._trail.append(left)
        self._panes.show_chat()
        await self._show(pane, found.message)
        return True

    async def back(self) -> bool:
        """Back to where the last citation was followed; False when there is no way back."""
        if not self._trail:
            return False
        pane, left = self._pane, self._trail[-1]
        if not self._is_at(left):
            if not await self._may_leave(pane):
                return True
            if not left.chat:
                await pane.start_new_chat(left.options, left.is_temporary)
            elif not await pane.open_chat(left.chat):
                self._trail.pop()
                return True
        self._trail.pop()
        if left.message:
            await self._show(pane, left.message)
        focused = left.focused
        if focused is not None and focused.is_attached:
            if not any(isinstance(node, ChatPane) for node in focused.ancestors_with_self):
                self._panes.show_wiki()
            focused.focus()
        return True

    def _is_at(self, left: _Left) -> bool:
        here, assistant = self._pane.current_chat, self._assistant
        if left.chat or here is not None:
            return here is not None and here.id == left.chat
        return (assistant.options, assistant.is_temporary) == (left.options, left.is_temporary)

    async def _show(self, pane: ChatPane, message: str) -> None:
        chat = pane.current_chat
        if chat is None or not message:
            return
        if message not in {node.id for node in chat.path}:
            try:
                await chat.select(message)
            except ConversationError as error:
                pane.complain(str(error))
                return
        self._screen.query_one(Transcript).focus()
        await pane.show_branch(message)

    async def _may_leave(self, pane: ChatPane) -> bool:
        if not self._assistant.is_temporary or pane.current_chat is None:
            return True
        question = QuestionScreen(
            "This chat is temporary: it ends when another one is opened.", (OPEN, STAY)
        )
        return await self._screen.app.push_screen_wait(question) == OPEN.id

    @property
    def _chosen(self) -> str:
        view = self._pane.parts.selection.view
        return view.message_id if view is not None else ""

    @property
    def _pane(self) -> ChatPane:
        return self._screen.query_one(ChatPane)
