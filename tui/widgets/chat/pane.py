"""The chat pane: transcript, prompt and meter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker

from tui.assistant.assistant import Assistant
from tui.assistant.memory_tools.steps import AnswerSteps, grouped
from tui.assistant.requests import Request
from tui.widgets.chat.asking import Asking
from tui.widgets.chat.message_handlers import MessageHandlers
from tui.widgets.chat.message_keys import Way
from tui.widgets.chat.meter import Meter
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.showing import WELCOME, Showing
from tui.widgets.chat.transcript import Transcript
from tui.widgets.chat.waiting import Waiting
from vault.conversations.values import DEFAULT_OPTIONS, ChatOptions, MessageNode

if TYPE_CHECKING:
    from tui.assistant.stored_chat import StoredChat
    from tui.widgets.chat.parts import ChatParts


class ChatPane(MessageHandlers):
    """Sends what the user writes to the assistant and draws what comes back."""

    class SlashEntered(Message):
        """The user wrote a slash command."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class CameToRest(Message):
        """All that was asked is answered."""

    def __init__(self, assistant: Assistant, id: str | None = None) -> None:
        super().__init__(id=id)
        self._assistant = assistant
        self._waiting = Waiting(id="queue")
        self._lazy_parts: ChatParts | None = None
        self._working: Worker[None] | None = None
        # An answer may end while the pane is being taken down.
        self._meter = Meter(id="meter")
        self._transcript = Transcript(id="transcript")
        self._asking = Asking(self, assistant, self._waiting)
        self._showing = Showing(self, assistant, self._transcript, self._meter)
        self.border_title = "Chat"

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        with self._transcript:
            yield Static(Content(WELCOME), id="welcome")
        yield Static(Content(""), id="message-keys")
        yield self._waiting
        yield Prompt(self.take_back_waiting, id="prompt")
        yield self._meter

    @property
    def parts(self) -> ChatParts:
        """What the first frame does without."""
        if self._lazy_parts is None:
            # Markdown is not needed for the first frame, and takes its time to import.
            from tui.widgets.chat.parts import ChatParts

            self._lazy_parts = ChatParts(self, self._assistant, self._transcript, self._meter)
        return self._lazy_parts

    @property
    def assistant(self) -> Assistant:
        """Who answers in this pane."""
        return self._assistant

    @property
    def prompt(self) -> Prompt:
        """The box the user writes in."""
        return self.query_one(Prompt)

    @property
    def is_answering(self) -> bool:
        """Whether an answer is under way."""
        return self._lazy_parts is not None and self._lazy_parts.answering.answer is not None

    @property
    def is_at_empty_prompt(self) -> bool:
        """Whether the user is at the prompt and has written nothing."""
        return self.prompt.has_focus and not self.prompt.text

    @property
    def current_chat(self) -> StoredChat | None:
        """The chat that is shown; None before anything was asked in it."""
        return self._assistant.chat

    @property
    def context_share(self) -> float:
        """How much of the context window is full; 0 when nobody knows."""
        return self._meter.share

    @property
    def last_answer(self) -> str:
        """The text of the newest answer, as the model wrote it."""
        shown = reversed(grouped(self._assistant.path))
        return next((each.text for each in shown if isinstance(each, AnswerSteps)), "")

    @on(Prompt.Submitted)
    def take_prompt(self, event: Prompt.Submitted) -> None:
        """Run a command, ask, or queue while busy."""
        event.stop()
        text = event.text
        if text.startswith("/") and not text.startswith("//") and "\n" not in text:
            self.post_message(self.SlashEntered(text))
            return
        self.request(self._asking.request_for(text[1:] if text.startswith("//") else text))

    def request(self, request: Request) -> None:
        """Have something answered, at once or after what is being answered."""
        self._asking.put(request)
        if not self.is_answering:
            self._working = self._answer_next()

    def revise(self, question: MessageNode) -> None:
        """Let the user change a question; what is sent next is another version of it."""
        self._asking.revise(question)

    def give_up_revising(self) -> bool:
        """Send questions as ever again; False when nothing was being edited."""
        return self._asking.give_up_revising()

    def take_back_waiting(self) -> str:
        """The last question that waits, for the prompt; empty without one."""
        return self._waiting.take_last_question()

    def stop(self) -> None:
        """Stop the answer; what was queued goes back into the prompt."""
        self._asking.stop()

    async def start_new_chat(
        self, options: ChatOptions = DEFAULT_OPTIONS, is_temporary: bool = False
    ) -> None:
        """Leave this chat and clear the screen."""
        await self.come_to_rest()
        await self._assistant.start_new_chat(options, is_temporary)
        await self._showing.chat()

    async def open_chat(self, chat_id: str) -> bool:
        """Leave this chat for a stored one; False when it cannot be opened, which is told."""
        await self.come_to_rest()
        return await self._showing.open(chat_id)

    async def open_latest(self) -> None:
        """Go on with the chat that was used last."""
        latest = await self._showing.latest()
        if latest:
            await self.open_chat(latest)

    async def go_on_with(self, chat: StoredChat) -> None:
        """Leave this chat for one that is open already."""
        await self._assistant.go_on_with(chat)
        await self._showing.chat()

    async def show_branch(self, chosen: str) -> None:
        """Another branch is to be seen; `chosen` is the message to choose on it."""
        await self._showing.branch(chosen)

    async def show_chat(self) -> None:
        """Draw the assistant's chat from its beginning."""
        await self._showing.chat()

    def show_name(self) -> None:
        """The chat's name in the frame."""
        self._showing.name()

    def say_model(self, name: str) -> None:
        """From here on another model answers; an answer that has not begun is its first."""
        self._showing.model(name)

    async def forget_read(self) -> None:
        """Something was deleted: the engine is not to remember it either."""
        await self._assistant.forget_read()

    def toggle_thinking_shown(self) -> None:
        """Fold or unfold all thinking."""
        column = self.parts.answering.column
        column.expand_thinking(not column.is_expanded)

    def say_waiting_for(self, phrase: str) -> None:
        """What an answer that has not begun is waiting for."""
        self._asking.say_waiting_for(phrase)
        if self._lazy_parts is not None:
            self._lazy_parts.answering.say_waiting_for(phrase)

    async def choose_message(self, way: Way = "last") -> None:
        """Go to the messages and choose one."""
        if self._assistant.path:
            self._transcript.focus()
            await self.parts.selection.move(way)

    def leave_messages(self) -> None:
        """Choose none."""
        if self._lazy_parts is not None:
            self._lazy_parts.selection.choose(None)

    @work(group="answer", exclusive=True, exit_on_error=True)
    async def _answer_next(self) -> None:
        await self._asking.answer_all()
        self.post_message(self.CameToRest())

    async def come_to_rest(self) -> None:
        """Stop the answer and wait until it is kept."""
        self.stop()
        if self._working is not None and not self._working.is_finished:
            await self._working.wait()

    def complain(self, sentence: str) -> None:
        """Tell the user of what went wrong."""
        self.notify(sentence, severity="warning", timeout=15, markup=False)
