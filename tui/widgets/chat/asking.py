"""What the user wants answered: one request after the other, and what waits meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.assistant.assistant import Assistant
from tui.assistant.requests import Ask, Request, Revise
from vault.conversations.values import MessageNode

if TYPE_CHECKING:
    from tui.widgets.chat.pane import ChatPane
    from tui.widgets.chat.waiting import Waiting


class Asking:
    """Everything between the prompt and the assistant of one pane."""

    def __init__(self, pane: ChatPane, assistant: Assistant, waiting: Waiting) -> None:
        self._pane = pane
        self._assistant = assistant
        self._waiting = waiting
        self._revised = ""
        self._waiting_for = "waiting for the model"
        self._trouble_told = ""

    @property
    def has_more(self) -> bool:
        """Whether something waits for its answer."""
        return not self._waiting.is_empty

    def request_for(self, text: str) -> Request:
        """What a sent text asks for: a question, or another version of one."""
        revised, self._revised = self._revised, ""
        self._waiting.remark("")
        return Revise(revised, text) if revised else Ask(text)

    def put(self, request: Request) -> None:
        """Let it wait for its turn."""
        self._waiting.put(request)

    def revise(self, question: MessageNode) -> None:
        """Let the user change a question; what is sent next is another version of it."""
        self._revised = question.id
        self._waiting.remark("editing: Enter sends a branch, Esc gives up")
        self._pane.prompt.set_text(question.text)
        self._pane.prompt.focus()

    def give_up_revising(self) -> bool:
        """Send questions as ever again; False when nothing was being edited."""
        was_revising, self._revised = bool(self._revised), ""
        if was_revising:
            self._waiting.remark("")
            self._pane.prompt.set_text("")
        return was_revising

    def stop(self) -> None:
        """Stop the answer; what was queued goes back into the prompt."""
        held = self._waiting.take_all_questions()
        prompt = self._pane.prompt
        if held:
            typed = prompt.full_text
            prompt.set_text("\n\n".join([*held, typed] if typed else held))
        self._assistant.stop()

    def say_waiting_for(self, phrase: str) -> None:
        """What an answer that has not begun is waiting for."""
        self._waiting_for = phrase

    async def answer_all(self) -> None:
        """Have everything answered that waits, the first first."""
        pane = self._pane
        while self.has_more:
            request = self._waiting.take_first()
            pane.parts.selection.choose(None)
            await pane.query("#welcome").remove()
            mendable = await pane.parts.answering.run(request, self._waiting_for)
            if mendable and not pane.prompt.text:
                # Nothing was said: the question can be mended and sent again.
                pane.prompt.set_text(mendable)
            pane.show_name()
            self._tell_trouble()
            if isinstance(request, Ask):
                self._tell_branched()

    def _tell_trouble(self) -> None:
        for notice in self._assistant.chats.take_notices():
            self._pane.complain(notice)
        trouble = self._assistant.trouble
        if trouble and trouble != self._trouble_told:
            self._pane.complain(f"{trouble} This chat is kept in memory until then.")
        self._trouble_told = trouble

    def _tell_branched(self) -> None:
        """A new question has no other versions, unless another window asked in its place."""
        chat = self._assistant.chat
        asked = [node.id for node in self._assistant.path if node.role == "user"]
        if chat is not None and asked and len(chat.tree.branch(asked[-1]).ids) > 1:
            self._pane.complain(
                "This chat went on in another window too. What was said there is a branch: "
                "Alt+Up goes to the question, ← and → switch."
            )
