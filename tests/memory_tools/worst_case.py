"""A model that does whatever the text in its prompt tells it to, in every way there is."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator

from engine.answers import AnswerEvent
from engine.protocol import (
    Finished,
    Generate,
    PromptProgress,
    TextDelta,
    ToolCall,
    ToolCallMalformed,
    ToolCallRequested,
    Usage,
)

_ORDER = re.compile(r"DO:(.*?):OD", re.DOTALL)
_CALL = re.compile(r"CALL:(\w+)\|(.*?):LLAC", re.DOTALL)
_USAGE = Usage(1, 0, 1, 8192, 0.0, 0.0, 0.0)


def do(text: str) -> str:
    """Text that has the model say something."""
    return f"DO:{text}:OD"


def have_called(name: str, arguments: str = "{}") -> str:
    """Text that has the model call a tool in earnest."""
    return f"CALL:{name}|{arguments}:LLAC"


class WorstCase:
    """Says and thinks every order it finds, quoted, fenced and plain, and makes every call.

    As an engine does, it asks for tools that were offered; other calls are none.
    """

    def __init__(self) -> None:
        self.requests: list[Generate] = []
        self.obeyed = 0

    async def run(self, request: Generate) -> AsyncGenerator[AnswerEvent, None]:
        """Obey what the last message, or what was found for it, says."""
        self.requests.append(request)
        yield PromptProgress(1, 1, 1, 0)
        told = "\n".join(
            message.content for message in request.messages if message.role != "system"
        )
        made = {call.arguments for message in request.messages for call in message.tool_calls}
        for order in dict.fromkeys(_ORDER.findall(told)):
            self.obeyed += 1
            yield TextDelta(1, f"{order}\n", "thinking")
            for form in ("{}\n\n", "> {}\n\n", "```\n{}\n```\n\n"):
                yield TextDelta(1, form.format(order))
        offered = {tool.name for tool in request.tools}
        for place, (name, arguments) in enumerate(dict.fromkeys(_CALL.findall(told))):
            if name in offered and arguments not in made:
                yield ToolCallRequested(1, ToolCall(f"w{place}", name, arguments))
            elif name not in offered and offered:
                yield ToolCallMalformed(1, f"{name}({arguments})", f"There is no tool {name!r}.")
        yield Finished(1, "stop", _USAGE)

    def stop_answers(self, conversation: str | None = None) -> None:
        """It is over at once."""

    async def forget(self, conversation: str) -> int:
        """It keeps nothing."""
        return 0
