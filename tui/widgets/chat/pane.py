"""The chat pane: transcript, prompt and meter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker

from tui.assistant.assistant import Assistant
from tui.assistant.requests import Ask, Request
from tui.text.content import literal_line
from tui.widgets.chat.meter import Meter
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.transcript import Transcript
from vault.conversations.errors import ConversationError
from vault.conversations.values import DEFAULT_OPTIONS, ChatOptions

if TYPE_CHECKING:
    from tui.assistant.stored_chat import StoredChat
    from tui.widgets.chat.answering import Answering

WELCOME = (
    "Everything stays on this machine. Ask something, or press F1 for keys and commands; "
    "F3 opens the wiki, F2 the memory gauge, F5 other models."
)
TEMPORARY = "A temporary chat: nothing of it is written to the disk, and it ends when you leave it."


class ChatPane(Vertical):
    """Sends what the user writes to the assistant and draws what comes back."""

    class SlashEntered(Message):
        """The user wrote a slash command."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, assistant: Assistant, id: str | None = None) -> None:
        super().__init__(id=id)
        self._assistant = assistant
        self._queue: list[Request] = []
        self._waiting_for = "waiting for the model"
        self._lazily_answering: Answering | None = None
        self._working: Worker[None] | None = None
        self._trouble_told = ""
        # An answer may end while the pane is being taken down.
        self._meter = Meter(id="meter")
        self._transcript = Transcript(id="transcript")
        self.border_title = "Chat"

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        with self._transcript:
            yield Static(Content(WELCOME), id="welcome")
        yield Static(Content(""), id="queue")
        yield Prompt(id="prompt")
        yield self._meter

    @property
    def prompt(self) -> Prompt:
        """The box the user writes in."""
        return self.query_one(Prompt)

    @property
    def is_answering(self) -> bool:
        """Whether an answer is under way."""
        return self._lazily_answering is not None and self._lazily_answering.answer is not None

    @property
    def current_chat(self) -> StoredChat | None:
        """The chat that is shown; None before anything was asked in it."""
        return self._assistant.chat

    @property
    def last_answer(self) -> str:
        """The text of the newest answer, as the model wrote it."""
        answers = [node.text for node in self._assistant.path if node.role == "assistant"]
        return answers[-1] if answers else ""

    @on(Prompt.Submitted)
    def take_prompt(self, event: Prompt.Submitted) -> None:
        """Run a command, ask, or queue while busy."""
        event.stop()
        text = event.text
        if text.startswith("/") and not text.startswith("//") and "\n" not in text:
            self.post_message(self.SlashEntered(text))
            return
        self.request(Ask(text[1:] if text.startswith("//") else text))

    def request(self, request: Request) -> None:
        """Have something answered, at once or after what is being answered."""
        self._queue.append(request)
        if self.is_answering:
            self._show_queue()
        else:
            self._working = self._answer_next()

    def stop(self) -> None:
        """Stop the answer; what was queued goes back into the prompt."""
        held = [each.question for each in self._queue if isinstance(each, Ask)]
        if held:
            self.prompt.set_text(
                "\n\n".join([*held, self.prompt.text] if self.prompt.text else held)
            )
        self._queue = []
        self._show_queue()
        self._assistant.stop()

    async def start_new_chat(
        self, options: ChatOptions = DEFAULT_OPTIONS, is_temporary: bool = False
    ) -> None:
        """Leave this chat and clear the screen."""
        await self._come_to_rest()
        await self._assistant.start_new_chat(options, is_temporary)
        await self.show_chat()

    async def open_chat(self, chat_id: str) -> bool:
        """Leave this chat for a stored one; False when it cannot be opened, which is told."""
        await self._come_to_rest()
        try:
            await self._assistant.open_chat(chat_id)
        except ConversationError as error:
            self.notify(str(error), severity="error", markup=False)
            return False
        await self.show_chat()
        return True

    async def show_chat(self) -> None:
        """Draw the assistant's chat from its beginning."""
        chat = self._assistant.chat
        self._meter.clear()
        self.show_name()
        column = self._answering.column
        await column.clear()
        if chat is None or not chat.path:
            welcome = TEMPORARY if self._assistant.is_temporary else WELCOME
            await self._transcript.mount(Static(Content(welcome), id="welcome"))
        else:
            await column.show(chat.tree)
        self._transcript.anchor()

    def show_name(self) -> None:
        """The chat's name in the frame."""
        chat = self._assistant.chat
        if self._assistant.is_temporary:
            self.border_title = "Chat · temporary"
        elif chat is None or not chat.path:
            self.border_title = "Chat"
        else:
            self.border_title = Content.assemble("Chat: ", literal_line(chat.chat.name, 60))

    def toggle_thinking_shown(self) -> None:
        """Fold or unfold all thinking."""
        column = self._answering.column
        column.expand_thinking(not column.is_expanded)

    def say_waiting_for(self, phrase: str) -> None:
        """What an answer that has not begun is waiting for."""
        self._waiting_for = phrase
        answering = self._lazily_answering
        if answering is not None and answering.answer is not None and answering.is_unstarted:
            answering.answer.show_waiting(phrase)

    def say_model(self, name: str) -> None:
        """From here on another model answers; an answer that has not begun is its first."""
        if not self._assistant.path:
            return
        # The meter told of the tokens and the window of the model before.
        self._meter.clear()
        answering = self._answering
        before = answering.question if answering.is_unstarted else None
        answering.column.note(f"{name} answers from here on", before)

    @on(Transcript.TopNeared)
    @work(group="earlier", exclusive=True)
    async def load_earlier(self) -> None:
        """The user reads towards the beginning."""
        await self._answering.column.load_earlier()

    @property
    def _answering(self) -> Answering:
        if self._lazily_answering is None:
            # Markdown is not needed for the first frame, and takes its time to import.
            from tui.widgets.chat.answering import Answering

            self._lazily_answering = Answering(
                self._assistant, self._transcript, self._meter, self._complain
            )
        return self._lazily_answering

    @work(group="answer", exclusive=True, exit_on_error=True)
    async def _answer_next(self) -> None:
        while self._queue:
            request = self._queue.pop(0)
            self._show_queue()
            await self.query("#welcome").remove()
            mendable = await self._answering.run(request, self._waiting_for)
            if mendable and not self.prompt.text:
                # Nothing was said: the question can be mended and sent again.
                self.prompt.set_text(mendable)
            self.show_name()
            self._tell_trouble()

    async def _come_to_rest(self) -> None:
        self.stop()
        if self._working is not None and not self._working.is_finished:
            await self._working.wait()

    def _tell_trouble(self) -> None:
        trouble = self._assistant.trouble
        if trouble and trouble != self._trouble_told:
            self._complain(f"{trouble} This chat is kept in memory until then.")
        self._trouble_told = trouble

    def _complain(self, sentence: str) -> None:
        self.notify(sentence, severity="warning", timeout=15, markup=False)

    def _show_queue(self) -> None:
        queue = self.query_one("#queue", Static)
        waiting = [each.question for each in self._queue if isinstance(each, Ask)]
        queue.display = bool(waiting)
        if waiting:
            more = f" (+{len(waiting) - 1} more)" if len(waiting) > 1 else ""
            queue.update(Content.assemble("next: ", literal_line(waiting[0], 60), more))
