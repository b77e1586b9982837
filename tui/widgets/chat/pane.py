"""The chat pane: transcript, prompt and meter."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker

from tui.assistant.assistant import Assistant
from tui.assistant.events import Answered, AnswerFailed, PromptRead, Said
from tui.text.content import literal_line
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.transcript import Transcript
from tui.widgets.chat.wording import context_meter

if TYPE_CHECKING:
    from tui.widgets.chat.answer import Answer, Question

WELCOME = (
    "Everything stays on this machine. Ask something, or press F1 for keys and commands; "
    "F3 opens the wiki, F2 the memory gauge, F5 other models."
)


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
        self._queue: list[str] = []
        self._waiting_for = "waiting for the model"
        self._answer: Answer | None = None
        self._question: Question | None = None
        self._answering: Worker[None] | None = None
        self._is_unstarted = False
        self._is_expanded = False
        # An answer may end while the pane is being taken down.
        self._meter = Static(Content(""), id="meter")
        self.border_title = "Chat"

    def compose(self) -> ComposeResult:
        """Top to bottom."""
        with Transcript(id="transcript"):
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
        return self._answer is not None

    @property
    def last_answer(self) -> str:
        """The text of the newest answer, as the model wrote it."""
        exchanges = self._assistant.conversation.exchanges
        return exchanges[-1].answer if exchanges else ""

    @on(Prompt.Submitted)
    def take_prompt(self, event: Prompt.Submitted) -> None:
        """Run a command, ask, or queue while busy."""
        event.stop()
        text = event.text
        if text.startswith("/") and not text.startswith("//") and "\n" not in text:
            self.post_message(self.SlashEntered(text))
            return
        question = text[1:] if text.startswith("//") else text
        self._queue.append(question)
        if self.is_answering:
            self._show_queue()
        else:
            self._answering = self._answer_next()

    def stop(self) -> None:
        """Stop the answer; what was queued goes back into the prompt."""
        if self._queue:
            held = [*self._queue, self.prompt.text] if self.prompt.text else self._queue
            self.prompt.set_text("\n\n".join(held))
            self._queue = []
            self._show_queue()
        self._assistant.stop()

    async def start_new_chat(self) -> None:
        """Leave this chat and clear the screen."""
        self.stop()
        if self._answering is not None and not self._answering.is_finished:
            await self._answering.wait()
        await self._assistant.start_new_chat()
        transcript = self.query_one(Transcript)
        await transcript.remove_children()
        await transcript.mount(Static(Content(WELCOME), id="welcome"))
        self._meter.update(Content(""))

    def toggle_thinking_shown(self) -> None:
        """Fold or unfold all thinking."""
        self._is_expanded = not self._is_expanded
        from tui.widgets.chat.answer import Answer

        for answer in self.query(Answer):
            answer.toggle_thinking(self._is_expanded)

    def say_waiting_for(self, phrase: str) -> None:
        """What an answer that has not begun is waiting for."""
        self._waiting_for = phrase
        if self._answer is not None and self._is_unstarted:
            self._answer.show_waiting(phrase)

    def say_model(self, name: str) -> None:
        """From here on another model answers; an answer that has not begun is its first."""
        if not self._assistant.conversation.exchanges:
            return
        # The meter told of the tokens and the window of the model before.
        self._meter.update(Content(""))
        note = Static(
            Content.assemble(literal_line(name), " answers from here on"), classes="model-note"
        )
        self.query_one(Transcript).mount(
            note, before=self._question if self._is_unstarted else None
        )

    @work(group="answer", exclusive=True, exit_on_error=True)
    async def _answer_next(self) -> None:
        while self._queue:
            question = self._queue.pop(0)
            self._show_queue()
            await self._answer_one(question)

    async def _answer_one(self, question: str) -> None:
        # Markdown is not needed for the first frame, and takes its time to import.
        from tui.widgets.chat.answer import Answer, Question

        transcript = self.query_one(Transcript)
        self._answer = answer = Answer(lambda: transcript.is_following)
        self._is_unstarted = True
        self._assistant.begin()
        try:
            await self.query("#welcome").remove()
            self._question = Question(question)
            await transcript.mount(self._question, answer)
            transcript.anchor()
            answer.show_waiting(self._waiting_for)
            answer.toggle_thinking(self._is_expanded)
            await self._stream(question, answer)
        finally:
            self._answer = self._question = None
            self._is_unstarted = False

    async def _stream(self, question: str, answer: Answer) -> None:
        async with aclosing(self._assistant.ask(question)) as events:
            async for event in events:
                self._is_unstarted = False
                match event:
                    case PromptRead():
                        answer.show_reading(event)
                    case Said():
                        answer.take(event)
                    case Answered():
                        await answer.end(event)
                    case AnswerFailed():
                        await answer.end(event)
                        if not answer.source and not self.prompt.text:
                            # Nothing was said: the question can be mended and sent again.
                            self.prompt.set_text(question)
                if isinstance(event, Answered):
                    used = event.usage.prompt_tokens + event.usage.generated_tokens
                    meter = context_meter(used, event.usage.context_window)
                    self._meter.update(Content(meter))

    def _show_queue(self) -> None:
        queue = self.query_one("#queue", Static)
        queue.display = bool(self._queue)
        if self._queue:
            more = f" (+{len(self._queue) - 1} more)" if len(self._queue) > 1 else ""
            queue.update(Content.assemble("next: ", literal_line(self._queue[0], 60), more))
