"""Byte-level BPE with digits cut one by one, written from its definition.

Characters are classed with unicodedata; nothing of a tokenizer library is used.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.models.tiny_gguf import byte_characters

CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
PIECE = re.compile(r"_?L+|_?N+|_?O+|[_S]+(?![LNO])|[_S]+")


@dataclass(frozen=True)
class ReferenceBPE:
    """Encodes text with a GGUF file's tokens, merges and control tokens."""

    tokens: Sequence[str]
    merges: Sequence[str]
    controls: frozenset[str]

    def encode(self, text: str) -> list[int]:
        numbers = {token: number for number, token in enumerate(self.tokens)}
        ranks = {merge: rank for rank, merge in enumerate(self.merges)}
        alphabet = byte_characters()
        encoded: list[int] = []
        for part in self._split_at_controls(text):
            if part in self.controls:
                encoded.append(numbers[part])
                continue
            for piece in _pieces(part):
                symbols = [alphabet[byte] for byte in piece.encode()]
                # A byte without a token of its own is lost before merging.
                known = [symbol for symbol in symbols if symbol in numbers]
                encoded += [numbers[symbol] for symbol in _merged(known, ranks)]
        return encoded

    def _split_at_controls(self, text: str) -> list[str]:
        if not self.controls:
            return [text]
        choices = sorted(self.controls, key=len, reverse=True)
        return re.split(f"({'|'.join(map(re.escape, choices))})", text)


def _merged(symbols: list[str], ranks: dict[str, int]) -> list[str]:
    while len(symbols) > 1:
        pairs = [ranks.get(f"{a} {b}") for a, b in pairwise(symbols)]
        known = [rank for rank in pairs if rank is not None]
        if not known:
            break
        place = pairs.index(min(known))
        symbols = [*symbols[:place], symbols[place] + symbols[place + 1], *symbols[place + 2 :]]
    return symbols


def _pieces(text: str) -> Iterator[str]:
    for stretch in _split_at_digits(text):
        classes = "".join(map(_class_of, stretch))
        start = 0
        while start < len(stretch):
            end = _end_of_contraction(stretch, start)
            if end is None:
                match = PIECE.match(classes, start)
                assert match is not None
                end = match.end()
            yield stretch[start:end]
            start = end


def _split_at_digits(text: str) -> Iterator[str]:
    stretch = ""
    for character in text:
        if _class_of(character) == "N":
            if stretch:
                yield stretch
            yield character
            stretch = ""
        else:
            stretch += character
    if stretch:
        yield stretch


def _end_of_contraction(text: str, start: int) -> int | None:
    for contraction in CONTRACTIONS:
        if text.startswith(contraction, start):
            return start + len(contraction)
    return None


def _class_of(character: str) -> str:
    category = unicodedata.category(character)
    if character == " ":
        return "_"
    if category[0] in "LN":
        return category[0]
    # Python also calls the four information separators space; Unicode does not.
    return "S" if character.isspace() and not "\x1c" <= character <= "\x1f" else "O"
