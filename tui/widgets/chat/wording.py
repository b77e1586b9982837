"""The short lines around an answer."""

from __future__ import annotations

from typing import assert_never

from engine.protocol import FinishReason, Usage
from tui.assistant.events import Answered, AnswerFailed, PromptRead


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
