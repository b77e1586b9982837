"""From token ids to text: whole characters, thinking told from answer, stop strings cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlx_lm.generate import TextStateMachine
from mlx_lm.tokenizer_utils import NaiveStreamingDetokenizer

from engine.protocol import Span

# mlx-lm carries hardly any types.
_Machine: Any = TextStateMachine
_Detokenizer: Any = NaiveStreamingDetokenizer
_SPANS: dict[str | None, Span] = {"normal": "answer", "reasoning": "thinking"}


class TextStream:
    """Decodes one answer. `has_stopped` turns true once a stop string was met."""

    def __init__(self, tokenizer: Any, stop: Sequence[str], is_thinking: bool) -> None:
        # mlx-lm's byte-level detokenizer drops the leading space of an answer; this one does not.
        self._detokenizer = _Detokenizer(tokenizer)
        self._state = _state_machine(tokenizer, stop).make_state(
            "reasoning" if is_thinking else "normal"
        )
        self.has_stopped = False

    def add(self, token: int) -> list[tuple[Span, str]]:
        """The pieces that became certain with this token; none after a stop string."""
        self._detokenizer.add_token(token)
        return self._split(self._detokenizer.last_segment)

    def finish(self) -> list[tuple[Span, str]]:
        """What was held back as a possible marker or an incomplete character."""
        if self.has_stopped:
            return []
        self._detokenizer.finalize()
        pieces = self._split(self._detokenizer.last_segment)
        if not self.has_stopped:
            self._state, rest, span = _Machine.flush(self._state)
            pieces += [(_SPANS[span], rest)] if rest else []
        return pieces

    def _split(self, text: str) -> list[tuple[Span, str]]:
        if self.has_stopped or not text:
            return []
        self._state, segments = _Machine.split(self._state, text)
        self.has_stopped = self._state[0] is None
        return [(_SPANS[span], piece) for span, piece in segments if piece]


def _state_machine(tokenizer: Any, stop: Sequence[str]) -> Any:
    transitions: dict[str, list[tuple[str, str | None]]] = {"normal": []}
    if tokenizer.has_thinking:
        transitions["normal"].append((tokenizer.think_start, "reasoning"))
        transitions["reasoning"] = [(tokenizer.think_end, "normal")]
    for edges in transitions.values():
        edges += [(word, None) for word in stop if word]
    return _Machine({state: edges for state, edges in transitions.items() if edges})
