"""Splits what a model says into answer, thinking and tool calls while it comes.

mlx-lm's state machine finds tags by letters alone, everywhere and in quoted code too, and holds
text back for as long as any tag might go on; here a tag that is a token counts only as that token,
code in the answer is text, and no more is held back than the tag's beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.protocol import Span
from engine.worker.code_context import CodeContext
from engine.worker.markup import Markup
from engine.worker.markup_families import State
from engine.worker.seeker import Seeker

_LONGEST_HEADER = 256
"""Characters; what goes on longer names nothing."""
_SPANS: Mapping[State, Span] = {"answer": "answer", "thinking": "thinking"}


@dataclass(frozen=True, slots=True)
class Spoken:
    """Text of a span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class CallText:
    """A block of tool calls as the model wrote it; `is_ended` when its closing tag came."""

    opening: str
    body: str
    closing: str
    is_ended: bool

    @property
    def whole(self) -> str:
        """With its tags."""
        return self.opening + self.body + self.closing


Piece = Spoken | CallText


class SpanSplitter:
    """Splits one answer. Without `has_tools` nothing is a tool call: all of it is text."""

    def __init__(self, markup: Markup, state: State, has_tools: bool = False) -> None:
        self._markup = markup
        self._has_tools = has_tools
        self._pieces: list[Piece] = []
        self._held = self._opening = ""
        self._body: list[str] = []
        self._enter(state)

    def feed(self, text: str) -> list[Piece]:
        """Take text in which tokens that make tags are signs; the pieces that became certain."""
        for character in text:
            self._take(character)
        return self._taken()

    def finish(self) -> list[Piece]:
        """What was held back as the beginning of a tag, and what never ended."""
        self._release(len(self._held))
        if self.state == "tool":
            self._end_call("", is_ended=False)
        elif self.state == "header" and not self._markup.has_sign(body := "".join(self._body)):
            self._say("answer", body)
        return self._taken()

    def _take(self, character: str) -> None:
        self._held += character
        if self.state == "answer":
            self._code.advance(character)
            if self._code.is_open:
                self._seeker.reset()
                self._release(len(self._held))
                return
        tag = self._seeker.advance(character)
        if tag is None:
            self._release(len(self._held) - self._seeker.held)
            return
        self._release(len(self._held) - len(tag))
        self._held = ""
        self._leave(tag)

    def _leave(self, tag: str) -> None:
        if self.state == "tool":
            self._end_call(self._markup.readable(tag), is_ended=True)
            self._enter(self._markup.after_call)
            return
        target = self._markup.edges[self.state][tag]
        header, self._body = "".join(self._body), []
        if callable(target):
            target = target(self._markup.readable(header))
            if target == "tool" and not self._has_tools:
                self._say("answer", header + tag)
                target = "answer"
        self._opening = self._markup.readable(header + tag) if target == "tool" else ""
        self._enter(target, tag)

    def _enter(self, state: State, tag: str = "") -> None:
        self.state = state
        self._code = CodeContext()
        if state == "tool":
            tags: Sequence[str] = self._markup.call_ends.get(tag, ())
        else:
            targets = self._markup.edges.get(state, {})
            tags = [each for each, to in targets.items() if to != "tool" or self._has_tools]
        self._seeker = Seeker(tags)

    def _release(self, count: int) -> None:
        text, self._held = self._held[:count], self._held[count:]
        if not text:
            return
        span = _SPANS.get(self.state)
        if span is not None:
            self._say(span, text)
            return
        self._body.append(text)
        if self.state == "header" and sum(map(len, self._body)) > _LONGEST_HEADER:
            self._say("answer", "".join(self._body))
            self._body = []
            self._enter("answer")

    def _end_call(self, closing: str, is_ended: bool) -> None:
        body, self._body = self._markup.readable("".join(self._body)), []
        self._pieces.append(CallText(self._opening, body, closing, is_ended))

    def _say(self, span: Span, text: str) -> None:
        if text:
            self._pieces.append(Spoken(span, self._markup.readable(text)))

    def _taken(self) -> list[Piece]:
        """The pieces so far, neighbours of one span joined."""
        joined: list[Piece] = []
        for piece in self._pieces:
            last = joined[-1] if joined else None
            if isinstance(piece, Spoken) and isinstance(last, Spoken) and last.span == piece.span:
                joined[-1] = Spoken(piece.span, last.text + piece.text)
            else:
                joined.append(piece)
        self._pieces = []
        return joined


class SignedText:
    """Tokens as the splitter takes them: whole characters, and signs for what makes tags."""

    def __init__(self, markup: Markup) -> None:
        self._signs = markup.signs
        self._reader = markup.tokens.reader()

    def add(self, token: int) -> str:
        """The text that became certain with this token."""
        if (sign := self._signs.get(token)) is None:
            return self._reader.add(token)
        return self._reader.finish() + sign

    def finish(self) -> str:
        """Half a character, as U+FFFD."""
        return self._reader.finish()


class ThinkingTracker:
    """Where in an answer the next token stands, for what only binds the answer itself.

    `state` is where the prompt left off (`Markup.opening`).
    """

    def __init__(self, markup: Markup, state: State) -> None:
        self._text = SignedText(markup)
        self._splitter = SpanSplitter(markup, state)

    @property
    def is_in_answer(self) -> bool:
        """Whether the next token is the answer's, and neither thinking nor a header."""
        return self._splitter.state == "answer"

    def add(self, token: int) -> bool:
        """Take a token of the model's; whether the next one is the answer's."""
        self._splitter.feed(self._text.add(token))
        return self.is_in_answer


def tracker_of(markup: Markup, tokenizer: Any, prompt: Sequence[int]) -> ThinkingTracker:
    """One that starts where this prompt leaves off."""
    return ThinkingTracker(markup, markup.opening(tokenizer, prompt))
