"""What was looked up, in a line for each call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tui.assistant.memory_tools.calls import Looked, read_arguments
from tui.text.line import to_line
from vault.conversations.values import ToolCall

_LONGEST_SAID = 60
_Words = Callable[[Mapping[str, Any]], str]


def call_words(call: ToolCall) -> str:
    """What a call asks for."""
    arguments = read_arguments(call)
    words = _WORDS.get(call.name)
    if words is None or "unreadable" in arguments:
        return f"{to_line(call.name, 30)} {to_line(call.arguments, _LONGEST_SAID)}"
    return words(arguments)


def card_line(call: ToolCall, looked: Looked | None, is_running: bool, is_open: bool) -> str:
    """The line of a card."""
    said = call_words(call)
    if looked is None:
        return f"⋯ {said}" if is_running else f"· {said} · not carried out"
    sign = "▾" if is_open else "▸"
    if looked.is_error:
        return f"{sign} {said} · {to_line(looked.text, 40)}"
    return f"{sign} {said} · {size_words(looked.text)} · {time_words(looked.seconds)}"


def head_line(looked: Sequence[Looked | None], is_open: bool) -> str:
    """The line over many cards."""
    there = [each for each in looked if each is not None]
    parts = [
        f"{'▾' if is_open else '▸'} looked up {len(looked)} times",
        size_words("".join(each.text for each in there)),
        time_words(sum(each.seconds for each in there)),
    ]
    failed = sum(each.is_error for each in there)
    return " · ".join([*parts, f"{failed} without success"] if failed else parts)


def size_words(text: str) -> str:
    """How much it is."""
    size = len(text.encode("utf-8", "replace"))
    return f"{size:,} B" if size < 1024 else f"{size / 1024:.1f} KB"


def time_words(seconds: float) -> str:
    """How long it took."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def _said(arguments: Mapping[str, Any], key: str) -> str:
    return to_line(str(arguments.get(key, "")), _LONGEST_SAID)


def _list_words(arguments: Mapping[str, Any]) -> str:
    of = [f"{key} {_said(arguments, key)}" for key in ("folder", "category", "tag")]
    named = [each for each in of if not each.endswith(" ")]
    return f"listed {', '.join(named) or 'all pages'}"


def _section_words(arguments: Mapping[str, Any]) -> str:
    heading, part = _said(arguments, "heading"), arguments.get("part", 1)
    place = f" › {heading}" if heading else ""
    return f"read {_said(arguments, 'page')}{place}{f', part {part}' if part != 1 else ''}"


_WORDS: Mapping[str, _Words] = {
    "memory_search": lambda arguments: f"looked for “{_said(arguments, 'query')}”",
    "memory_read": lambda arguments: f"read {_said(arguments, 'page')}",
    "memory_toc": lambda arguments: f"contents of {_said(arguments, 'page')}",
    "memory_section": _section_words,
    "memory_links": lambda arguments: f"links of {_said(arguments, 'page')}",
    "memory_list": _list_words,
    "memory_status": lambda _: "what the wiki has",
}
