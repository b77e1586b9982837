"""What is said: the turns of a conversation, tools and the calls of them."""

from __future__ import annotations

import msgspec

from engine.protocol.base import Role


class Tool(msgspec.Struct, frozen=True):
    """A function the model may ask for; `parameters` is a JSON schema as text."""

    name: str
    description: str = ""
    parameters: str = "{}"


class ToolCall(msgspec.Struct, frozen=True):
    """What the model asks for; `arguments` is a JSON object as text."""

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True):
    """One turn of a conversation as the chat template sees it.

    An assistant's turn may carry its thinking and the calls it made; a `tool` turn answers the call
    `tool_call_id`.
    """

    role: Role
    content: str
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
