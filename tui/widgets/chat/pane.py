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
from tui.assistant.requests import Ask, Request, Revise
from tui.text.content import literal_line
from tui.widgets.chat.message_keys import Way
from tui.widgets.chat.message_view import BranchLine, MessageView
from tui.widgets.chat.meter import Meter
from tui.widgets.chat.prompt import Prompt
from tui.widgets.chat.transcript import Transcript
from tui.widgets.chat.waiting import Waiting
from vault.conversations.errors import ConversationError
from vault.conversations.values import DEFAULT_OPTIONS, ChatOptions, MessageNode

if TYPE_CHECKING:
    from tui.assistant.stored_chat import StoredChat
    from tui.widgets.chat.parts import ChatParts

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

    class CameToRest(Message):
        """All that was asked is answered."""

    def __init__(self, assistant: Assistant, id: str | None = None) -> None:
        super().__init__(id=id)
        self._assistant = assistant
        self._waiting = Waiting(id="queue")
        self._revised = ""
        self._waiting_for = "waiting for the model"
        self._lazy_parts: ChatParts | None = None
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
        yield Static(Content(""), id="message-keys")
        yield self._waiting
        yield Prompt(self.take_back_waiting, id="prompt")
        yield self._meter

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
        question = text[1:] if text.startswith("//") else text
        revised, self._revised = self._revised, ""
        self._waiting.remark("")
        self.request(Revise(revised, question) if revised else Ask(question))

    def request(self, request: Request) -> None:
        """Have something answered, at once or after what is being answered."""
        self._waiting.put(request)
        if not self.is_answering:
            self._working = self._answer_next()

    def revise(self, question: MessageNode) -> None:
        """Let the user change a question; what is sent next is another version of it."""
        self._revised = question.id
        self._waiting.remark("editing: Enter sends a branch, Esc gives up")
        self.prompt.set_text(question.text)
        self.prompt.focus()

    def give_up_revising(self) -> bool:
        """Send questions as ever again; False when nothing was being edited."""
        was_revising, self._revised = bool(self._revised), ""
        if was_revising:
            self._waiting.remark("")
            self.prompt.set_text("")
        return was_revising

    def take_back_waiting(self) -> str:
        """The last question that waits, for the prompt; empty without one."""
        return self._waiting.take_last_question()

    def stop(self) -> None:
        """Stop the answer; what was queued goes back into the prompt."""
        held = self._waiting.take_all_questions()
        if held:
            typed = self.prompt.full_text
            self.prompt.set_text("\n\n".join([*held, typed] if typed else held))
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

    async def open_latest(self) -> None:
        """Go on with the chat that was used last."""
        try:
            latest = await self._assistant.chats.latest()
        except ConversationError as error:
            self.complain(str(error))
            return
        if latest is None:
            self.notify("There is no chat to go on with yet.", markup=False)
        elif self.current_chat is None or latest.id != self.current_chat.id:
            await self.open_chat(latest.id)

    async def go_on_with(self, chat: StoredChat) -> None:
        """Leave this chat for one that is open already."""
        await self._assistant.go_on_with(chat)
        await self.show_chat()

    async def show_branch(self, chosen: str) -> None:
        """Another branch is to be seen; `chosen` is the message to choose on it."""
        chat = self._assistant.chat
        if chat is not None:
            await self._parts.answering.column.show(chat.tree)
            self._parts.selection.choose_again(chosen)

    async def forget_read(self) -> None:
        """Something was deleted: the engine is not to remember it either."""
        await self._assistant.forget_read()

    async def show_chat(self) -> None:
        """Draw the assistant's chat from its beginning."""
        chat = self._assistant.chat
        self._meter.clear()
        self.prompt.is_kept = not self._assistant.is_temporary
        self.give_up_revising()
        self.show_name()
        self._parts.selection.choose(None)
        column = self._parts.answering.column
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
        self.border_subtitle = literal_line(self._assistant.options.persona, 30)
        if self._assistant.is_temporary:
            self.border_title = "Chat · temporary"
        elif chat is None or not chat.path:
            self.border_title = "Chat"
        else:
            self.border_title = Content.assemble("Chat: ", literal_line(chat.chat.name, 60))

    def toggle_thinking_shown(self) -> None:
        """Fold or unfold all thinking."""
        column = self._parts.answering.column
        column.expand_thinking(not column.is_expanded)

    def say_waiting_for(self, phrase: str) -> None:
        """What an answer that has not begun is waiting for."""
        self._waiting_for = phrase
        if self._lazy_parts is not None:
            self._lazy_parts.answering.say_waiting_for(phrase)

    def say_model(self, name: str) -> None:
        """From here on another model answers; an answer that has not begun is its first."""
        if not self._assistant.path:
            return
        # The meter told of the tokens and the window of the model before.
        self._meter.clear()
        answering = self._parts.answering
        before = answering.question if answering.is_unstarted else None
        answering.column.note(f"{name} answers from here on", before)

    async def choose_message(self, way: Way = "last") -> None:
        """Go to the messages and choose one."""
        if self._assistant.path:
            self._transcript.focus()
            await self._parts.selection.move(way)

    def leave_messages(self) -> None:
        """Choose none."""
        if self._lazy_parts is not None:
            self._lazy_parts.selection.choose(None)

    @on(Transcript.ChoiceWanted)
    async def choose_other(self, event: Transcript.ChoiceWanted) -> None:
        """A key of the transcript."""
        await self._parts.selection.move(event.way)

    @on(MessageView.Chosen)
    def choose_clicked(self, event: MessageView.Chosen) -> None:
        """A click on a message."""
        if event.view is not self._parts.selection.view:
            self._parts.selection.choose(event.view)

    @on(Transcript.DeedWanted)
    @work(group="deed")
    async def do_deed(self, event: Transcript.DeedWanted) -> None:
        """Something is wanted of the chosen message."""
        await self._parts.deeds.do(event.name)

    @on(BranchLine.Stepped)
    @work(group="deed")
    async def step_branch(self, event: BranchLine.Stepped) -> None:
        """A click on the line that says which version is shown."""
        await self._parts.deeds.step_line(event.line, event.step)

    @on(Transcript.TopNeared)
    @work(group="earlier", exclusive=True)
    async def load_earlier(self) -> None:
        """The user reads towards the beginning."""
        await self._parts.answering.column.load_earlier()

    @property
    def _parts(self) -> ChatParts:
        if self._lazy_parts is None:
            # Markdown is not needed for the first frame, and takes its time to import.
            from tui.widgets.chat.parts import ChatParts

            self._lazy_parts = ChatParts(self, self._assistant, self._transcript, self._meter)
        return self._lazy_parts

    @work(group="answer", exclusive=True, exit_on_error=True)
    async def _answer_next(self) -> None:
        while not self._waiting.is_empty:
            request = self._waiting.take_first()
            self._parts.selection.choose(None)
            await self.query("#welcome").remove()
            mendable = await self._parts.answering.run(request, self._waiting_for)
            if mendable and not self.prompt.text:
                # Nothing was said: the question can be mended and sent again.
                self.prompt.set_text(mendable)
            self.show_name()
            self._tell_trouble()
        self.post_message(self.CameToRest())

    async def _come_to_rest(self) -> None:
        self.stop()
        if self._working is not None and not self._working.is_finished:
            await self._working.wait()

    def _tell_trouble(self) -> None:
        for notice in self._assistant.chats.take_notices():
            self.complain(notice)
        trouble = self._assistant.trouble
        if trouble and trouble != self._trouble_told:
            self.complain(f"{trouble} This chat is kept in memory until then.")
        self._trouble_told = trouble

    def complain(self, sentence: str) -> None:
        """Tell the user of what went wrong."""
        self.notify(sentence, severity="warning", timeout=15, markup=False)
