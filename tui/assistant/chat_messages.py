"""What a model gets of a stored chat."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.protocol import Message, ToolCall
from tui.assistant.seam import read_from_seam, with_summary
from vault.conversations.values import MessageNode

Render = Callable[[MessageNode], str]


def plain_text(node: MessageNode) -> str:
    """A question as it was typed."""
    return node.text


def model_messages(
    path: Sequence[MessageNode], system_prompt: str = "", render: Render = plain_text
) -> tuple[Message, ...]:
    """The turns of a path: thinking is left out, and so are questions without an answer.

    A question that was refused as too long would make every later prompt too long. `render` puts
    what was recalled for a question before it, the same each time. A summary stands for what comes
    before a seam.
    """
    summary, path = read_from_seam(path)
    system_prompt = with_summary(system_prompt, summary)
    messages = [Message("system", system_prompt)] if system_prompt else []
    waiting: list[Message] = []
    asked: frozenset[str] = frozenset()
    for node in path:
        match node.role:
            case "user":
                waiting = [Message("user", render(node))]
            case "assistant":
                if node.text or node.extras.tool_calls:
                    messages += waiting
                    messages.append(_answer(node))
                    waiting = []
                    asked = frozenset(call.id for call in node.extras.tool_calls)
            case "tool":
                # The answer that asked for it may have been deleted.
                if node.extras.answers_call in asked:
                    call = node.extras.answers_call
                    messages.append(Message("tool", node.text, tool_call_id=call))
            case "system":
                messages.append(Message("system", node.text))
    return (*messages, *waiting)


def _answer(node: MessageNode) -> Message:
    calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in node.extras.tool_calls)
    # What led to a call is read with it; templates leave it out of later turns as they see fit.
    thinking = node.thinking if calls else ""
    return Message("assistant", node.text, thinking, calls)
