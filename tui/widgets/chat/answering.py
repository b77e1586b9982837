"""Draws what the assistant does with a request."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from tui.assistant.assistant import Assistant
from tui.assistant.events import (
    AnswerBegun,
    Answered,
    AnswerFailed,
    Asked,
    PromptRead,
    Recalled,
    Said,
    StepEnded,
    ToolAnswered,
    ToolAsked,
)
from tui.assistant.memory_tools.steps import AnswerSteps, question_of, steps_of
from tui.assistant.requests import Ask, Regenerate, Request, Resume, Revise
from tui.widgets.chat.answer import Answer
from tui.widgets.chat.column import Column
from tui.widgets.chat.meter import Meter
from tui.widgets.chat.question import Question
from tui.widgets.chat.transcript import Transcript
from tui.widgets.chat.typist import Typist


class Answering:
    """One answer at a time; `answer` is the one under way."""

    def __init__(
        self,
        assistant: Assistant,
        transcript: Transcript,
        meter: Meter,
        typist: Typist,
        complain: Callable[[str], None],
    ) -> None:
        """`complain` tells the user of what went wrong before an answer had its place."""
        self._assistant = assistant
        self._transcript = transcript
        self._meter = meter
        self._typist = typist
        self._complain = complain
        self.column = Column(transcript)
        self.answer: Answer | None = None
        self.question: Question | None = None
        self.is_unstarted = False
        self._ids: list[str] = []

    async def run(self, request: Request, waiting_for: str) -> str:
        """Answer; returns a question of which nothing came, so that it can be mended."""
        self._assistant.begin()
        self._ids = []
        transcript = self._transcript
        self.answer = answer = Answer(
            lambda: transcript.is_following, self._resumed(request), self._typist.gap
        )
        self.is_unstarted = True
        try:
            await self._make_room(request, answer)
            transcript.anchor()
            answer.show_waiting(waiting_for)
            failure = await self._stream(request, answer)
            await self._settle(answer)
        finally:
            self.answer = self.question = None
            self.is_unstarted = False
        if failure is None or answer.source:
            return ""
        if not self._ids:
            self._complain(failure.message)
        return request.question if isinstance(request, Ask | Revise) else ""

    def say_waiting_for(self, phrase: str) -> None:
        """What an answer that has not begun is waiting for."""
        if self.answer is not None and self.is_unstarted:
            self.answer.show_waiting(phrase)

    def _resumed(self, request: Request) -> AnswerSteps | None:
        if isinstance(request, Resume) and self._assistant.chat is not None:
            return steps_of(self._assistant.chat.tree, request.message)
        return None

    async def _make_room(self, request: Request, answer: Answer) -> None:
        column = self.column
        chat = self._assistant.chat
        match request:
            case Ask(question=question):
                self.question = Question(question)
                await column.begin(answer, self.question)
            case Revise(message=message, question=question):
                self.question = Question(question)
                await column.begin(answer, self.question, column.above(message))
            case Regenerate(message=message):
                await column.begin(answer, after=message)
            case Resume(message=message):
                after = question_of(chat.tree, message) if chat else None
                await column.begin(answer, after=after)

    async def _stream(self, request: Request, answer: Answer) -> AnswerFailed | None:
        failure = None
        async with aclosing(self._assistant.answer(request)) as events:
            async for event in events:
                match event:
                    case Asked(question=id):
                        self._ids.append(id)
                    case Recalled():
                        self._show_recalled(event)
                    case AnswerBegun(answer=id):
                        self._ids.append(id)
                        answer.begin_step(id)
                    case PromptRead():
                        answer.show_reading(event)
                        self._meter.show_reading(event)
                    case Said():
                        answer.take(event)
                    case ToolAsked():
                        await answer.ask(event)
                    case ToolAnswered():
                        answer.answer(event)
                    case StepEnded():
                        self._meter.show_usage(event.usage)
                    case Answered():
                        await answer.end(event)
                        self._meter.show_usage(event.usage)
                    case AnswerFailed():
                        failure = event
                        await answer.end(event)
                if not isinstance(event, Asked | Recalled):
                    self.is_unstarted = False
        return failure

    def _show_recalled(self, event: Recalled) -> None:
        chat = self._assistant.chat
        node = chat.tree.get(event.question) if chat else None
        view = self.question or self.column.view(event.question)
        if node is not None and isinstance(view, Question):
            view.show_recalled(node, event.remark)

    async def _settle(self, answer: Answer) -> None:
        """What was drawn is what is stored."""
        chat = self._assistant.chat
        if chat is None:
            return
        asked, *_ = self._ids or ("",)
        if self.question is not None:
            self.question.node = chat.tree.get(asked)
        steps = steps_of(chat.tree, chat.tree.leaf)
        if steps is not None and asked in {chat.tree.parent(steps.steps[0].id), *steps.ids}:
            answer.settle(steps)
        await self.column.show(chat.tree)
        await self.column.thin_out()
