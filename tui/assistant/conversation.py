"""A chat as a value: turns on the screen, and the messages a model gets of them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Literal

from engine.protocol import Message

AnswerState = Literal["complete", "cut", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and what was answered; `state` says how the answer ended."""

    question: str
    answer: str = ""
    thinking: str = ""
    state: AnswerState = "complete"


@dataclass(frozen=True, slots=True)
class Conversation:
    """One chat. `id` names its KV cache in the engine."""

    id: str
    exchanges: tuple[Exchange, ...] = ()

    def with_exchange(self, exchange: Exchange) -> Conversation:
        """The chat with one more exchange."""
        return replace(self, exchanges=(*self.exchanges, exchange))

    def messages(self, system_prompt: str, question: str) -> tuple[Message, ...]:
        """What the model gets: thinking is left out, and so are questions without an answer.

        A question that was refused as too long would make every later prompt too long.
        """
        messages = [Message("system", system_prompt)] if system_prompt else []
        for exchange in self.exchanges:
            if exchange.answer:
                messages.append(Message("user", exchange.question))
                messages.append(Message("assistant", exchange.answer))
        messages.append(Message("user", question))
        return tuple(messages)


def new_conversation() -> Conversation:
    """An empty chat."""
    return Conversation(secrets.token_hex(8))
