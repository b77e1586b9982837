"""Which tags each model family puts around its thinking, known by vocabulary and template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["answer", "thinking", "tool", "header"]
"""Where in what a model says a place is; a header only names what follows."""
Route = Callable[[str], State]
"""Tells from a header's text what follows it."""
Edges = Mapping[State, Mapping[str, State | Route]]

MESSAGE = "<|message|>"
_HARMONY_TOKENS = ("<|start|>", "<|channel|>", MESSAGE, "<|end|>")
_RECIPIENT = re.compile(r"\bto=(\S+)")
# Beyond those mlx-lm knows: Seed-OSS, Magistral, Command A.
_MORE_PAIRS = (
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
)
_ANSWER_MARKS = ("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>")
_SPELLED_PAIR = ("<think>", "</think>")
_STATES: Mapping[str, State] = {"normal": "answer", "reasoning": "thinking", "header": "header"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The tags that lead from one state to another; those of tool calls come with their format."""

    edges: Edges
    start: State = "answer"
    after_call: State = "answer"

    @property
    def thinks(self) -> bool:
        """Whether it has a way to mark thinking."""
        return self.start == "header" or any(
            "thinking" in targets.values() for targets in self.edges.values()
        )


def dialect_of(tokenizer: Any, vocabulary: Mapping[str, int]) -> Dialect:
    """What mlx-lm knows of the tokenizer, or else what its tokens and its template tell."""
    if is_harmony(vocabulary):
        return _HARMONY
    if tokenizer.response_transitions:
        return _headed(tokenizer)
    answer: dict[str, State | Route] = dict.fromkeys(tokenizer.structural_markers, "answer")
    answer |= {mark: "answer" for mark in _ANSWER_MARKS if mark in vocabulary}
    pair = _thinking_pair(tokenizer, vocabulary)
    if pair is None:
        return Dialect({"answer": answer})
    start, end = pair
    return Dialect({"answer": answer | {start: "thinking"}, "thinking": {end: "answer"}})


def is_harmony(vocabulary: Mapping[str, int]) -> bool:
    """Whether these are the channels of gpt-oss."""
    return all(token in vocabulary for token in _HARMONY_TOKENS)


def _thinking_pair(tokenizer: Any, vocabulary: Mapping[str, int]) -> tuple[str, str] | None:
    if tokenizer.has_thinking:
        return tokenizer.think_start, tokenizer.think_end
    for pair in _MORE_PAIRS:
        if all(tag in vocabulary for tag in pair):
            return pair
    template = tokenizer.chat_template
    is_spelled = isinstance(template, str) and any(tag in template for tag in _SPELLED_PAIR)
    return _SPELLED_PAIR if is_spelled else None


def _headed(tokenizer: Any) -> Dialect:
    """A format mlx-lm describes by transitions; those into a tool call come with its format."""
    edges: dict[State, dict[str, State | Route]] = {
        _STATES[state]: {tag: _STATES[target] for tag, target in targets if target in _STATES}
        for state, targets in tokenizer.response_transitions.items()
    }
    return Dialect(edges, _STATES[tokenizer.response_initial_state or "normal"])


def _harmony_route(header: str) -> State:
    """gpt-oss: calls are addressed to a function; what is addressed to nobody is for the user."""
    recipient = _RECIPIENT.search(header)
    if recipient and not recipient[1].startswith(("user", "assistant")):
        return "tool"
    return "thinking" if "analysis" in header else "answer"


_TO_HEADER: Mapping[str, State | Route] = dict.fromkeys(
    ("<|end|>", "<|start|>", "<|channel|>"), "header"
)
_HARMONY = Dialect(
    {"header": {MESSAGE: _harmony_route}, "answer": _TO_HEADER, "thinking": _TO_HEADER},
    start="header",
    after_call="header",
)
