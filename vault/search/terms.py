"""Texts as the index sees them: stems of words, and pairs of characters where no spaces are."""

import threading
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from vault.index.grams import pairs_of, runs, runs_at, without_runs
from vault.index.schema import WORDS_TOKENIZER

Table = Literal["words", "grams"]


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: `text` is what is written, `token` what the index holds for it."""

    table: Table
    text: str
    token: str
    is_prefix: bool = False

    @property
    def expression(self) -> str:
        """The term in FTS5's language; the text is letters and digits only."""
        return f'"{self.text}"{"*" if self.is_prefix else ""}'


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the characters it stands for."""

    start: int
    end: int
    token: str


class Analyser:
    """Takes texts apart with the very tokenizers of the index. Any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        connection = apsw.Connection(":memory:")
        self._words = connection.fts5_tokenizer(WORDS_TOKENIZER[0], list(WORDS_TOKENIZER[1:]))

    def terms(self, text: str) -> tuple[Term, ...]:
        """What to look for when somebody looks for `text`, in order; a token may come twice.

        A lone character of a script without spaces is the beginning of the pairs it is in.
        """
        found = [
            Term("words", text[each.start : each.end], each.token)
            for each in self._tokens(without_runs(text))
        ]
        for run in runs(text):
            for pair in pairs_of(run):
                found += [Term("grams", pair, pair, is_prefix=len(pair) == 1)]
        return tuple(found)

    def tokens(self, text: str) -> list[Token]:
        """Every token of a text with its place: stems, then pairs.

        The last character of a stretch stands alone too, as it does in the index.
        """
        found = self._tokens(without_runs(text))
        for start, run in runs_at(text):
            for index, pair in enumerate(pairs_of(run)):
                found.append(Token(start + index, start + index + len(pair), pair))
            end = start + len(run)
            found += [Token(end - 1, end, run[-1])] if len(run) > 1 else []
        return found

    def keys(self, text: str) -> tuple[str, ...]:
        """The bare tokens of a text."""
        return tuple(each.token for each in self.terms(text))

    def _tokens(self, text: str) -> list[Token]:
        content = text.encode("utf-8", "replace")
        with self._lock:
            # One tuple a token: the library's type also covers what other flags return.
            found: Any = self._words(content, apsw.FTS5_TOKENIZE_DOCUMENT, None)
        if len(content) == len(text):
            return [Token(*each) for each in found]
        return _by_characters(content, found)


def _by_characters(content: bytes, found: list[tuple[int, int, str]]) -> list[Token]:
    """Turn offsets of bytes into offsets of characters."""
    tokens: list[Token] = []
    byte = character = 0
    for start, end, token in found:
        character += len(content[byte:start].decode("utf-8", "replace"))
        size = len(content[start:end].decode("utf-8", "replace"))
        tokens.append(Token(character, character + size, token))
        byte, character = end, character + size
    return tokens
