"""From the messages of a request to the turns, tools and options its chat template takes.

What a template cannot show is told in other words instead of refused: a conversation may have
begun with another model. Only offering tools to a model that calls none is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

from engine.protocol import Message, Tool, ToolCall
from engine.serving.backend import Refused
from engine.worker.prompt import PromptWriter
from engine.worker.tool_schema import offered
from engine.worker.turn_style import Turn, TurnStyle, call_turn

_SHORT_ID = 9
_NO_RESULT = "There is no result: the answer was stopped before."


class TurnWriter:
    """Writes the prompts of one model."""

    def __init__(self, prompts: PromptWriter, style: TurnStyle, thinks: bool) -> None:
        self._prompts = prompts
        self._style = style
        self._thinks = thinks

    def write(
        self,
        messages: Sequence[Message],
        thinking: bool | None = None,
        tools: Sequence[Tool] = (),
        *,
        is_open: bool = True,
    ) -> list[int]:
        """Token ids of a conversation, with the generation prompt if it is open. Raises Refused."""
        if tools and not self._style.calls:
            raise Refused(
                "bad-request",
                "This model cannot call tools: its chat template has no place for them. Ask "
                "without tools or choose a model that has them.",
            )
        options: dict[str, Any] = {}
        if self._style.is_harmony and thinking is False:
            # It cannot be told not to think at all.
            options["reasoning_effort"] = "low"
        return self._prompts.write(
            turns_of(messages, self._style),
            self._thinks if thinking is None else thinking,
            [tool.described() for tool in offered(tools)],
            options=options,
            is_open=is_open,
        )


def turns_of(messages: Sequence[Message], style: TurnStyle) -> list[Turn]:
    """The messages as this template takes them. Raises Refused for calls and results that lie."""
    turns = list(_turns(list(_answered(messages)), style))
    if not style.takes_system or not style.takes_late_system:
        turns = _folded(turns, style)
    return turns if style.takes_repeats else _joined(turns)


def _answered(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages with a result for every call, which templates count on."""
    open_calls: dict[str, None] = {}
    known: set[str] = set()
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in known:
                raise Refused("bad-request", "A tool's result answers no call before it.")
            open_calls.pop(message.tool_call_id, None)
        else:
            yield from _missing(open_calls)
            open_calls = {call.id: None for call in message.tool_calls}
            known |= open_calls.keys()
        yield message
    yield from _missing(open_calls)


def _missing(calls: dict[str, None]) -> Iterator[Message]:
    return (Message("tool", _NO_RESULT, tool_call_id=id) for id in calls)


def _turns(messages: Sequence[Message], style: TurnStyle) -> Iterator[Turn]:
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    results = {
        message.tool_call_id: _result(message, names[message.tool_call_id], style)
        for message in messages
        if message.role == "tool"
    }
    is_splitting = style.arguments != "none" and not style.takes_many_calls
    for message in messages:
        if message.role == "assistant":
            if is_splitting and len(message.tool_calls) > 1:
                for place, call in enumerate(message.tool_calls):
                    said = message.content if place == 0 else ""
                    yield _assistant(Message("assistant", said, tool_calls=(call,)), style)
                    yield results.pop(call.id)
            elif message.content or message.thinking or style.arguments != "none":
                yield _assistant(message, style)
        elif message.role != "tool":
            yield {"role": message.role, "content": message.content}
        elif result := results.pop(message.tool_call_id, None):
            yield result


def _assistant(message: Message, style: TurnStyle) -> Turn:
    content, thinking = message.content, message.thinking
    calls = message.tool_calls if style.arguments != "none" else ()
    if style.is_harmony and calls and content and thinking:
        # Its template takes one of them beside a call.
        content, thinking = "", f"{thinking}\n\n{content}"
    turn: Turn = {"role": "assistant", "content": content}
    if thinking:
        # Families read it under different names.
        turn |= {"reasoning_content": thinking, "thinking": thinking}
    if calls:
        turn["tool_calls"] = [_call(call, style) for call in calls]
    return turn


def _call(call: ToolCall, style: TurnStyle) -> Turn:
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise Refused("bad-request", f"The arguments of a call are no JSON: {error}.") from error
    if not isinstance(arguments, dict):
        raise Refused("bad-request", "The arguments of a call are not a JSON object.")
    written = arguments if style.arguments == "object" else json.dumps(arguments)
    return call_turn(_id(call.id, style), call.name, written)


def _result(message: Message, name: str, style: TurnStyle) -> Turn:
    if style.arguments == "none":
        return {"role": "user", "content": f"Result of {name}:\n{message.content}"}
    id = _id(message.tool_call_id, style)
    return {"role": "tool", "content": message.content, "name": name, "tool_call_id": id}


def _id(id: str, style: TurnStyle) -> str:
    """Some templates refuse ids that are not nine letters; another model may have made this one."""
    if not style.has_short_ids or (len(id) == _SHORT_ID and id.isalnum()):
        return id
    return "c" + blake2b(id.encode(), digest_size=4).hexdigest()


def _folded(turns: Sequence[Turn], style: TurnStyle) -> list[Turn]:
    """Instructions in the user's turn that follows, where there is no place of their own."""
    folded: list[Turn] = []
    waiting: list[str] = []
    for turn in turns:
        is_first = not folded and not waiting
        if turn["role"] == "system" and not (style.takes_system and is_first):
            waiting.append(turn["content"])
        elif turn["role"] == "user" and waiting:
            folded.append({**turn, "content": "\n\n".join([*waiting, turn["content"]])})
            waiting = []
        else:
            folded.append(turn)
    if waiting:
        folded.append({"role": "user", "content": "\n\n".join(waiting)})
    return folded


def _joined(turns: Sequence[Turn]) -> list[Turn]:
    """One turn of neighbours of one role, where the template wants roles to alternate."""
    joined: list[Turn] = []
    for turn in turns:
        last = joined[-1] if joined else None
        is_plain = turn.keys() == {"role", "content"}
        if last and is_plain and last.keys() == turn.keys() and last["role"] == turn["role"]:
            joined[-1] = {**turn, "content": f"{last['content']}\n\n{turn['content']}"}
        else:
            joined.append(turn)
    return joined
