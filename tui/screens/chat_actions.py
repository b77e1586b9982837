"""What the main screen does with the open chat: an action for each of its verbs."""

from __future__ import annotations

from textual import on, work

from tui.assistant.assistant import Assistant
from tui.screens.chats.desk import ChatDesk
from tui.screens.sound_screen import SoundScreen
from tui.widgets.chat.pane import ChatPane


class ChatActions(SoundScreen):
    """Passes wishes on to the desk."""

    _assistant: Assistant
    _chats: ChatDesk

    async def action_choose_message(self) -> None:
        """From the prompt to the messages."""
        await self._chat.choose_message()

    async def action_find_in_chat(self, words: str = "") -> None:
        """Words in the chat that is open."""
        await self._chat.parts.finding.open(words)

    async def action_temporary_chat(self) -> None:
        """A chat that leaves no trace."""
        await self._chat.start_new_chat(is_temporary=True)
        self._chat.prompt.focus()

    @work(exclusive=True, group="chats")
    async def action_list_chats(self, words: str = "") -> None:
        """All chats: search, open, rename, pin, delete, export."""
        from tui.screens.chats.opening import choose_chat

        await choose_chat(self.app, self._chat, self._assistant, words)

    async def action_resume_chat(self) -> None:
        """The chat that was used last."""
        await self._chat.open_latest()
        self._chat.prompt.focus()

    async def action_new_chat(self) -> None:
        """A clean page."""
        await self._chat.start_new_chat()
        self._chat.prompt.focus()

    def action_choose_persona(self, name: str = "") -> None:
        """Who answers this chat."""
        self._chats.choose_persona(name, self._chat)

    def action_system_prompt(self, text: str = "") -> None:
        """The instructions of this chat."""
        self._chats.set_system_prompt(text, self._chat)

    def action_sampling(self, text: str = "") -> None:
        """How the words of this chat are chosen."""
        self._chats.set_sampling(text, self._chat)

    def action_chat_memory(self, text: str = "") -> None:
        """Whether this chat uses the wiki, and which part."""
        self._chats.set_memory(text, self._chat)

    def action_compact_chat(self) -> None:
        """Sum up the beginning of this chat."""
        self._chats.compact(self._chat)

    @on(ChatPane.CameToRest)
    def take_rest(self) -> None:
        """All answers are there."""
        self._chats.take_rest(self._chat)

    @property
    def _chat(self) -> ChatPane:
        return self.query_one(ChatPane)
