"""The short lines around an answer."""

from __future__ import annotations

from typing import assert_never

from engine.protocol import FinishReason, Usage
from tui.assistant.events import Answered, AnswerFailed, PromptRead
from vault.conversations import values
from vault.conversations.values import MessageNode, State


def reading_line(event: PromptRead) -> str:
    """Prefill progress, with what the cache saved."""
    share = event.done / event.total if event.total else 1.0
    reused = f" · {event.reused:,} reused" if event.reused else ""
    return f"reading {event.done:,} of {event.total:,} tokens ({share:.0%}){reused}"


def thinking_line(seconds: float, is_over: bool, is_open: bool) -> str:
    """The head of the thinking block."""
    return f"{'thought' if is_over else 'thinking'} {seconds:.0f} s {'▾' if is_open else '▸'}"


def answer_footer(event: Answered | AnswerFailed) -> str:
    """The line under a finished answer."""
    match event:
        case AnswerFailed(message=message):
            return message
        case Answered(reason=reason, usage=usage):
            return _HOW_IT_ENDED[reason] + usage_line(usage)
        case _:
            assert_never(event)


_HOW_IT_ENDED: dict[FinishReason, str] = {
    "stop": "",
    "length": "cut at the length limit · ",
    "cancelled": "stopped · ",
}


_HOW_IT_WAS_KEPT: dict[State, str] = {
    "in-progress": "being written in another window",
    "complete": "",
    "cut": "cut at the length limit",
    "stopped": "stopped",
    "failed": "failed before it was done",
    "interrupted": "interrupted: the program ended while it was written",
}


def kept_footer(node: MessageNode) -> str:
    """The line under an answer from the store."""
    parts = [_HOW_IT_WAS_KEPT[node.state]]
    if node.extras.usage is not None:
        parts.append(_kept_usage_line(node.extras.usage))
    return " · ".join(part for part in parts if part)


def _kept_usage_line(usage: values.Usage) -> str:
    speed = f"{usage.tokens_per_second:.0f} tok/s" if usage.tokens_per_second else ""
    first = f"first after {usage.first_token_seconds:.1f} s" if usage.first_token_seconds else ""
    written = f"{usage.generated:,} written" if usage.generated else ""
    return " · ".join(part for part in (speed, first, written) if part)


def usage_line(usage: Usage) -> str:
    """Speed, time to the first token, and tokens read, reused and written."""
    parts = []
    if usage.decode_tps:
        parts.append(f"{usage.decode_tps:.0f} tok/s")
    if usage.time_to_first_token:
        parts.append(f"first after {usage.time_to_first_token:.1f} s")
    fresh = usage.prompt_tokens - usage.reused_tokens
    parts.append(f"{usage.reused_tokens:,} reused + {fresh:,} new")
    parts.append(f"{usage.generated_tokens:,} written")
    if usage.drafted_tokens:
        parts.append(f"{usage.accepted_tokens:,} of {usage.drafted_tokens:,} drafts right")
    return " · ".join(parts)


def context_meter(used: int, window: int) -> str:
    """How full the context window is; `?` when the model does not say how large it is."""
    if window <= 0:
        return f"{used:,}/?"
    return f"{used:,}/{window:,} ({used / window:.0%})"
