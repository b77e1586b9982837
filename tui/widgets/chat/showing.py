"""Which chat a pane shows, and which branch of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from tui.assistant.assistant import Assistant
from tui.text.content import literal_line
from tui.text.line import to_line
from tui.widgets.chat.memory_words import badge
from tui.widgets.chat.meter import Meter
from tui.widgets.chat.transcript import Transcript
from vault.conversations.errors import ConversationError

if TYPE_CHECKING:
    from tui.widgets.chat.pane import ChatPane

WELCOME = (
    "Everything stays on this machine. Ask something, or press F1 for keys and commands; "
    "F3 opens the wiki, F2 the memory gauge, F5 other models."
)
TEMPORARY = "A temporary chat: nothing of it is written to the disk, and it ends when you leave it."


class Showing:
    """Draws the assistant's chat into a pane, its name into the frame."""

    def __init__(
        self, pane: ChatPane, assistant: Assistant, transcript: Transcript, meter: Meter
    ) -> None:
        self._pane = pane
        self._assistant = assistant
        self._transcript = transcript
        self._meter = meter

    async def open(self, chat_id: str) -> bool:
        """Show a stored chat; False when it cannot be opened, which is told."""
        try:
            await self._assistant.open_chat(chat_id)
        except ConversationError as error:
            self._pane.notify(str(error), severity="error", markup=False)
            return False
        await self.chat()
        return True

    async def latest(self) -> str:
        """The chat that was used last; empty when there is none but this, which is told."""
        try:
            latest = await self._assistant.chats.latest()
        except ConversationError as error:
            self._pane.complain(str(error))
            return ""
        if latest is None:
            self._pane.notify("There is no chat to go on with yet.", markup=False)
            return ""
        shown = self._assistant.chat
        return "" if shown is not None and latest.id == shown.id else latest.id

    async def chat(self) -> None:
        """Draw the assistant's chat from its beginning."""
        chat, parts = self._assistant.chat, self._pane.parts
        self._meter.clear()
        self._pane.prompt.is_kept = not self._assistant.is_temporary
        self._pane.give_up_revising()
        self.name()
        parts.selection.choose(None)
        if parts.finding.bar is not None:
            # It counted in the chat before.
            await parts.finding.close()
        column = parts.answering.column
        await column.clear()
        if chat is None or not chat.path:
            welcome = TEMPORARY if self._assistant.is_temporary else WELCOME
            await self._transcript.mount(Static(Content(welcome), id="welcome"))
        else:
            await column.show(chat.tree)
            kept = [node.extras.usage for node in chat.path if node.extras.usage is not None]
            if kept:
                self._meter.show_kept(kept[-1])
        self._transcript.anchor()

    async def branch(self, chosen: str) -> None:
        """Another branch is to be seen; `chosen` is the message to choose on it."""
        chat, parts = self._assistant.chat, self._pane.parts
        if chat is not None:
            column = parts.answering.column
            await column.show(chat.tree)
            while chosen and column.hidden and column.view(chosen) is None:
                await column.load_earlier()
            parts.selection.choose_again(chosen)

    def name(self) -> None:
        """The chat's name in the frame."""
        chat, pane = self._assistant.chat, self._pane
        options = self._assistant.options
        told = " · ".join(filter(None, (to_line(options.persona, 30), badge(options))))
        pane.border_subtitle = literal_line(told) if told else Content("")
        if self._assistant.is_temporary:
            pane.border_title = "Chat · temporary"
        elif chat is None or not chat.path:
            pane.border_title = "Chat"
        else:
            pane.border_title = Content.assemble("Chat: ", literal_line(chat.chat.name, 60))

    def model(self, name: str) -> None:
        """From here on another model answers; an answer that has not begun is its first."""
        if not self._assistant.path:
            return
        # The meter told of the tokens and the window of the model before.
        self._meter.clear()
        answering = self._pane.parts.answering
        before = answering.question if answering.is_unstarted else None
        answering.column.note(f"{name} answers from here on", before)
