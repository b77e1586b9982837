"""What is decided about the open chat: how it is answered, what it is called, its length."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from textual.app import App

from tui.assistant.assistant import Assistant
from tui.attention import Attention
from tui.screens.chats.answer_desk import AnswerDesk, ChatHabits, Severity
from tui.widgets.chat.pane import ChatPane
from vault.conversations.errors import ConversationError


class ChatDesk:
    """Runs everything in workers of the app; what is heavy is imported when it is wanted."""

    def __init__(
        self,
        app: App[None],
        assistant: Assistant,
        habits: ChatHabits,
        attention: Attention,
        model_name: Callable[[], str],
    ) -> None:
        """`model_name` says who would answer now."""
        self._app = app
        self._assistant = assistant
        self._habits = habits
        self._attention = attention
        self._model_name = model_name
        self._answers = AnswerDesk(app, assistant, habits)
        self._told_full = ""

    def choose_persona(self, name: str, pane: ChatPane) -> None:
        """Let a persona answer this chat from now on; without a name, list them."""
        self._run("options", self._shown(self._answers.choose_persona(name), pane))

    def set_system_prompt(self, text: str, pane: ChatPane) -> None:
        """Give this chat instructions of its own; without a text, edit them."""
        self._run("options", self._shown(self._answers.set_system_prompt(text), pane))

    def set_sampling(self, text: str, pane: ChatPane) -> None:
        """Set `NAME VALUE`, or `reset`; without a text, show the form."""
        self._run("options", self._shown(self._answers.set_sampling(text), pane))

    def set_memory(self, text: str, pane: ChatPane) -> None:
        """Have this chat use the wiki, a part of it, or nothing of it."""
        self._run("options", self._shown(self._set_memory(text), pane))

    def compact(self, pane: ChatPane) -> None:
        """Sum up the beginning of this chat."""
        self._run("compact", self._compact(pane, is_asked=True))

    def take_rest(self, pane: ChatPane) -> None:
        """All answers are there: tell of it, give the chat a title, mind its length."""
        self._attention.ask_for_it()
        # Another program may have deleted chats that the engine still remembers.
        self._run("settle", self._assistant.settle())
        if self._habits.settings.auto_title:
            self._run("title", self._give_title(pane))
        share, chat, how = pane.context_share, self._assistant.chat, self._habits.settings.compact
        if chat is None or how == "off" or share * 100 < self._habits.settings.compact_at:
            return
        if how == "auto":
            self._run("compact", self._compact(pane, is_asked=False))
        elif self._told_full != chat.id:
            self._told_full = chat.id
            self._say(f"The context is {share:.0%} full: /compact sums up what came first.")

    async def tell_bad_personas(self) -> None:
        """A persona file has changed."""
        from tui.personas.load import load_personas

        found = await asyncio.to_thread(load_personas, self._habits.personas_dir)
        self._answers.tell_problems(found)

    async def _compact(self, pane: ChatPane, *, is_asked: bool) -> None:
        from tui.assistant.compaction import NothingToCompact, compact

        chat, assistant = self._assistant.chat, self._assistant
        if chat is None or assistant.is_answering:
            self._say("An answer is being written; Esc stops it." if chat else "Ask first.")
            return
        self._say("Summing up what came first …")
        try:
            await compact(
                assistant.engine,
                chat,
                assistant.style,
                self._model_name(),
                is_temporary=assistant.is_temporary,
            )
        except NothingToCompact as error:
            self._say(str(error), "warning" if is_asked else "information")
            return
        if assistant.chat is chat and not assistant.is_answering:
            await pane.show_branch("")

    async def _set_memory(self, text: str) -> None:
        from tui.screens.chats.memory_desk import set_memory

        self._say(await set_memory(self._assistant, text))

    async def _give_title(self, pane: ChatPane) -> None:
        from tui.assistant.auto_title import give_title, wants_title

        chat = self._assistant.chat
        if chat is not None and wants_title(chat):
            await give_title(self._assistant.engine, chat)
            pane.show_name()

    async def _shown(self, deed: Coroutine[Any, Any, None], pane: ChatPane) -> None:
        await deed
        pane.show_name()

    def _run(self, group: str, deed: Coroutine[Any, Any, None]) -> None:
        self._app.run_worker(self._told(deed), group=f"chat-{group}", exclusive=True)

    async def _told(self, deed: Coroutine[Any, Any, None]) -> None:
        try:
            await deed
        except ConversationError as error:
            self._say(str(error), "warning")

    def _say(self, text: str, severity: Severity = "information") -> None:
        self._app.notify(text, severity=severity, markup=False)
