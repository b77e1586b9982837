"""A chat of the assistant as pairs of questions and answers, to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tui.assistant.assistant import Assistant
from tui.assistant.chat_messages import plain_text
from vault.conversations.values import State


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and what was answered; `state` says how the answer ended."""

    question: str
    answer: str = ""
    thinking: str = ""
    state: State = "complete"


def exchanges(assistant: Assistant) -> tuple[Exchange, ...]:
    """What is shown, without an answer under way."""
    path = assistant.path
    return tuple(
        Exchange(question.text, answer.text, answer.thinking, answer.state)
        for question, answer in pairwise(path)
        if question.role == "user" and answer.role == "assistant" and answer.state != "in-progress"
    )


def said(assistant: Assistant) -> list[str]:
    """What the model would get of the chat, turn by turn, without what is recalled for it."""
    chat = assistant.chat
    return [turn.content for turn in chat.messages(render=plain_text)] if chat else []
