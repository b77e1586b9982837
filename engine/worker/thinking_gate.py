"""Tells from a constrained answer's tokens when its thinking is over and the form begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from engine.worker.markup import Markup
from engine.worker.spans import ThinkingTracker, tracker_of

_TAIL_TOKENS = 16
"""Of a prompt: more than a closing tag and the blanks behind it."""

GateState = Literal["undecided", "opening", "thinking", "form"]
"""Undecided: the model may begin to think, or begin the form. Opening: within an opening tag."""


class ThinkingGate:
    """Fed each token of the answer.

    `openings` are the tags that may begin it and lead to thinking, as tokens.
    """

    def __init__(self, tracker: ThinkingTracker, openings: Sequence[tuple[int, ...]] = ()) -> None:
        self._tracker = tracker
        self._openings = tuple(openings)
        self._rest: tuple[int, ...] = ()
        self.state: GateState = "undecided" if openings else "form"
        if not tracker.is_in_answer:
            self.state = "thinking"

    @property
    def openers(self) -> list[int]:
        """Tokens that may come now although no form begins with them."""
        match self.state:
            case "undecided":
                return [opening[0] for opening in self._openings]
            case "opening":
                return [self._rest[0]]
            case "thinking" | "form":
                return []

    def take(self, token: int) -> None:
        """The next token."""
        if self.state == "form":
            return
        is_in_answer = self._tracker.add(token)
        if self.state == "undecided":
            self._rest = next((tag[1:] for tag in self._openings if tag[0] == token), ())
            is_opened = bool(self._rest) or not is_in_answer
            self.state = "opening" if self._rest else "thinking" if is_opened else "form"
        elif self.state == "opening":
            self._rest = self._rest[1:]
            self.state = "opening" if self._rest else "thinking"
        elif is_in_answer:
            self.state = "form"


def gate_of(
    markup: Markup, tokenizer: Any, prompt: Sequence[int], is_thinking_allowed: bool
) -> ThinkingGate:
    """The gate of an answer to a prompt, which may have opened or closed the block itself."""
    tracker = tracker_of(markup, tokenizer, prompt)
    if not is_thinking_allowed or _is_closed(markup, tokenizer, prompt):
        return ThinkingGate(tracker)
    return ThinkingGate(tracker, _openings(markup, tokenizer))


def _is_closed(markup: Markup, tokenizer: Any, prompt: Sequence[int]) -> bool:
    tail = str(tokenizer.decode(list(prompt[-_TAIL_TOKENS:]))).rstrip()
    return any(tail.endswith(markup.readable(tag)) for tag in markup.edges.get("thinking", {}))


def _openings(markup: Markup, tokenizer: Any) -> list[tuple[int, ...]]:
    tokens = {sign: token for token, sign in markup.signs.items()}
    return [
        (tokens[tag[0]], *tokenizer.encode(tag[1:], add_special_tokens=False))
        for tag, target in markup.edges.get("answer", {}).items()
        if target in ("thinking", "header") and tag[0] in tokens
    ]
