"""From token ids to text: whole characters, in time that does not grow with the text.

Decoding all tokens again with each one is quadratic, and decoding the last few drops blanks or
halves characters; so most tokenizers' tokens are read as the bytes they stand for.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any, Protocol

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_PROBE = " Größe ,  記憶\n  🙂👩‍👧 (x) 's\n"
_MOST_PENDING = 8
"""Tokens whose text may stay undecided: a character is at most four bytes."""
Pieces = Mapping[int, bytes]


class TokenReader(Protocol):
    """Makes text of one answer's tokens."""

    def add(self, token: int) -> str:
        """The text that became certain with this token."""

    def finish(self) -> str:
        """What was held back; half a character is one U+FFFD."""


class TokenBytes:
    """The bytes of every token of a tokenizer, read when first needed."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._kind = _decoder_kind(tokenizer)
        self._known: dict[int, bytes] = {}
        self._added = {
            id: str(token.content) for id, token in tokenizer.added_tokens_decoder.items()
        }
        self._anchor = self._find_anchor() if self._kind == "fallback" else []
        self.is_exact = bool(self._kind) and self._agrees()

    def of(self, token: int, is_first: bool = False) -> bytes:
        """Its bytes; nothing for an id without a token. The first one may lose a blank."""
        if is_first and self._kind == "fallback":
            return self._fallback(token, [])
        if (known := self._known.get(token)) is None:
            known = self._known[token] = self._read(token)
        return known

    def reader(self) -> TokenReader:
        """For one answer."""
        return _ByteReader(self) if self.is_exact else _WindowReader(self._tokenizer)

    def _read(self, token: int) -> bytes:
        if self._kind == "fallback":
            return self._fallback(token, self._anchor)
        if token in self._added:
            # Its letters stand for themselves, and the tokenizer may have changed them.
            return decode(self._tokenizer, [token]).encode()
        name = self._tokenizer.convert_ids_to_tokens(token)
        if name is None:
            return b""
        values = [_BYTE_OF.get(character) for character in name]
        known = bytes(value for value in values if value is not None)
        return known if len(known) == len(values) else name.encode()

    def _fallback(self, token: int, before: list[int]) -> bytes:
        name = self._tokenizer.convert_ids_to_tokens(token)
        if name is None:
            return b""
        match = _BYTE_TOKEN.fullmatch(name)
        # A blank at the very beginning is lost also when it is spelled as a byte.
        if match and (before or int(match[1], 16) != ord(" ")):
            return bytes([int(match[1], 16)])
        return decode(self._tokenizer, [*before, token])[len(before) :].encode("utf-8", "replace")

    def _find_anchor(self) -> list[int]:
        """A token of one plain letter: what stands behind it is not the beginning of a text."""
        id = self._tokenizer.convert_tokens_to_ids("a")
        return [id] if id is not None and decode(self._tokenizer, [id]) == "a" else []

    def _agrees(self) -> bool:
        """Whether this reading is the tokenizer's own."""
        tokens = self._tokenizer.encode(_PROBE, add_special_tokens=False)
        joined = b"".join(self.of(token, index == 0) for index, token in enumerate(tokens))
        return joined.decode("utf-8", "replace") == decode(self._tokenizer, tokens)


def decode(tokenizer: Any, tokens: list[int]) -> str:
    """The tokens' text as it is, special tokens and blanks before punctuation included."""
    return str(tokenizer.decode(tokens, clean_up_tokenization_spaces=False))


class _ByteReader:
    def __init__(self, tokens: TokenBytes) -> None:
        self._tokens = tokens
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._is_first = True

    def add(self, token: int) -> str:
        read = self._tokens.of(token, self._is_first)
        self._is_first = False
        return self._utf8.decode(read)

    def finish(self) -> str:
        return self._utf8.decode(b"", final=True)


class _WindowReader:
    """For tokenizers of another kind: decodes the last tokens with those before them."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._before: list[int] = []
        self._pending: list[int] = []

    def add(self, token: int) -> str:
        self._pending.append(token)
        text = self._text()
        if text.endswith("\ufffd") and len(self._pending) < _MOST_PENDING:
            return ""
        self._before, self._pending = self._pending, []
        return text

    def finish(self) -> str:
        return self._text() if self._pending else ""

    def _text(self) -> str:
        known = decode(self._tokenizer, self._before) if self._before else ""
        return decode(self._tokenizer, self._before + self._pending)[len(known) :]


def _decoder_kind(tokenizer: Any) -> str:
    """`bytes` when a token's letters stand for bytes, `fallback` when <0x..> tokens do."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    decoder = getattr(backend, "decoder", None)
    described = json.loads(decoder.__getstate__()) if decoder is not None else {}
    parts = described.get("decoders", [described])
    kinds = [part.get("type") for part in parts]
    if kinds == ["ByteLevel"]:
        return "bytes"
    return "fallback" if "ByteFallback" in kinds else ""


def _byte_letters() -> dict[str, int]:
    """The letter that byte-level tokenizers write each byte as: printable ones as themselves."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {chr(value): value for value in printable}
    others = [value for value in range(256) if value not in set(printable)]
    return letters | {chr(256 + place): value for place, value in enumerate(others)}


_BYTE_OF = _byte_letters()
