"""From token ids to what is said: answer, thinking and calls, in characters drawn whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from engine.protocol import (
    AnyEvent,
    FinishReason,
    Span,
    TextDelta,
    ToolCall,
    ToolCallMalformed,
    ToolCallRequested,
)
from engine.worker.bare_calls import BareCalls
from engine.worker.clusters import ClusterBuffer
from engine.worker.markup import Markup
from engine.worker.markup_families import State
from engine.worker.spans import CallText, Piece, SignedText, SpanSplitter, Spoken
from engine.worker.stop_strings import StopStrings
from engine.worker.tool_calls import CallReader, MalformedCall, ReadCall

Said = Spoken | ReadCall
"""What becomes an event."""


def event_of(id: int, said: Said) -> AnyEvent:
    """The event that tells it, for the request `id`."""
    match said:
        case Spoken(span=span, text=text):
            return TextDelta(id, text, span)
        case ToolCall():
            return ToolCallRequested(id, said)
        case MalformedCall(text=text, reason=reason):
            return ToolCallMalformed(id, text, reason)
        case _:
            assert_never(said)


class TextStream:
    """Decodes one answer. `has_stopped` turns true once a stop string was met.

    `state` is where the prompt left off; without `calls`, whatever looks like a tool call is text.
    """

    def __init__(
        self,
        markup: Markup,
        stop: Sequence[str] = (),
        state: State = "answer",
        calls: CallReader | None = None,
    ) -> None:
        self._text = SignedText(markup)
        self._splitter = SpanSplitter(markup, state, has_tools=calls is not None)
        self._stop = StopStrings(stop)
        self._calls = calls
        is_bare = calls is not None and markup.tools is not None and markup.tools.is_bare
        self._bare = BareCalls() if is_bare else None
        self._drawn = ClusterBuffer()
        self._span: Span = "answer"

    @property
    def has_stopped(self) -> bool:
        """Whether a stop string ended the answer."""
        return self._stop.has_stopped

    def add(self, token: int) -> list[Said]:
        """What became certain with this token; nothing after a stop string."""
        if self.has_stopped:
            return []
        return self._pass_on(self._splitter.feed(self._text.add(token)))

    def finish(self, reason: FinishReason) -> list[Said]:
        """What was held back: a tag's or a stop string's beginning, half a character, a call.

        A call that the end of the answer cut off may be repaired only when the model itself ended.
        """
        said: list[Said] = []
        if not self.has_stopped:
            pieces = self._splitter.feed(self._text.finish()) + self._splitter.finish()
            is_cut = reason != "stop"
            said = self._pass_on(pieces, is_cut) + self._end_bare(is_cut)
            said += self._speak(self._stop.flush())
        return said + self._turn_to(self._span)

    def _pass_on(self, pieces: Sequence[Piece], is_cut: bool = False) -> list[Said]:
        said: list[Said] = []
        for piece in pieces:
            if self.has_stopped:
                break
            if isinstance(piece, CallText):
                said += self._answer("", is_more=False)
                said += self._speak(self._stop.flush()) + self._turn_to("answer")
                assert self._calls is not None  # or there would be no calls
                said += self._calls.read(piece, is_cut=is_cut and not piece.is_ended)
                continue
            if piece.span != self._span:
                if self._span == "answer":
                    said += self._answer("", is_more=False)
                    said += self._speak(self._stop.flush())
                said += self._turn_to(piece.span)
            said += self._answer(piece.text) if piece.span == "answer" else self._speak(piece.text)
        return said

    def _answer(self, text: str, is_more: bool = True) -> list[Said]:
        if self._bare is not None:
            text = self._bare.add(text) if is_more else self._bare.let_go()
        return self._speak(self._stop.add(text))

    def _end_bare(self, is_cut: bool) -> list[Said]:
        """Calls that are all of the answer, or what looked like their beginning, as text."""
        if self._bare is None or self._calls is None:
            return []
        if calls := self._bare.take():
            return list(self._calls.read(CallText("", calls, "", is_ended=False), is_cut))
        return self._answer("", is_more=False)

    def _speak(self, text: str) -> list[Said]:
        certain = self._drawn.add(text)
        return [Spoken(self._span, certain)] if certain else []

    def _turn_to(self, span: Span) -> list[Said]:
        held, last, self._span = self._drawn.flush(), self._span, span
        return [Spoken(last, held)] if held else []
