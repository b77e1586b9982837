"""From the pieces of a prompt to token ids: structure becomes tokens, text never does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from engine.worker.content_marks import Piece
from engine.worker.control_tokens import ControlTokens

_ANCHORS = ("\n", "a")
"""What a piece is put behind, so that the tokenizer does not take it for the beginning of a text,
where some put a blank. What runs into one of them does not run into the other."""

_MOST_KEPT = 512


class MarkedEncoder:
    """Of one tokenizer; `encode` is the ordinary way, with control tokens."""

    def __init__(self, tokenizer: Any, control: ControlTokens) -> None:
        """`tokenizer` is mlx-lm's wrapper."""
        self._inner = tokenizer._tokenizer
        self._control = control
        # A text about a model names the same few tokens again and again.
        self._kept_as_text = lru_cache(_MOST_KEPT)(self._as_text)

    def encode(self, pieces: Iterable[Piece]) -> list[int]:
        """The ids of a prompt; one without text to protect is encoded in one go."""
        ids: list[int] = []
        for piece in pieces:
            ids += (self._kept_as_text if piece.is_text else self._plain)(piece.text, not ids)
        return ids

    def _as_text(self, text: str, is_first: bool) -> tuple[int, ...]:
        """Ids without control tokens; some vocabularies have a token's letters as one word too."""
        usual = self._plain(text, is_first)
        for parts in ([text], [text[:1], text[1:]], list(text)):
            ids: list[int] = []
            for part in parts:
                ids += _encode(self._without_tokens, part, is_first and not ids)
            if ids != usual and self._control.ids.isdisjoint(ids):
                break
        return tuple(ids)

    def _plain(self, text: str, is_first: bool) -> list[int]:
        return _encode(self._with_tokens, text, is_first)

    def _with_tokens(self, text: str) -> list[int]:
        ids: list[int] = self._inner.encode(text, add_special_tokens=False)
        return ids

    def _without_tokens(self, text: str) -> list[int]:
        # Private, but the only way to leave out added tokens that are not special.
        ids: list[int] = self._inner._encode_without_added_tokens(text)
        return ids


def _encode(encode: Callable[[str], list[int]], text: str, is_first: bool) -> list[int]:
    """Ids of a text at the beginning, or of one that comes after others."""
    for anchor in () if is_first else _ANCHORS:
        start, ids = encode(anchor), encode(anchor + text)
        if ids[: len(start)] == start:
            return ids[len(start) :]
    return encode(text)
