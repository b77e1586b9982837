"""Texts as the index sees them: stems of words, and pairs of characters where no spaces are."""

import functools
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from vault.index.grams import pairs_of, runs, runs_at, without_runs
from vault.index.schema import WORDS_TOKENIZER

_REMEMBERED = 60_000
Table = Literal["words", "grams"]
Placed = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: `text` is what is written, `token` what the index holds for it."""

    table: Table
    text: str
    token: str
    is_prefix: bool = False
    is_of_names: bool = False

    @property
    def expression(self) -> str:
        """The term in FTS5's language; the text is letters and digits only."""
        where = "{title aliases} : " if self.is_of_names else ""
        return f'{where}"{self.text}"{"*" if self.is_prefix else ""}'


@dataclass(frozen=True, slots=True)
class Token:
    """A token and the characters it stands for."""

    start: int
    end: int
    token: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """The tokens looked for with their weights; those in `prefixes` may go on."""

    weights: Mapping[str, float]
    prefixes: tuple[str, ...] = ()
    has_grams: bool = True

    def key(self, token: str) -> str | None:
        """Return which of them a token of a page is."""
        if token in self.weights:
            return token
        if not self.prefixes or not token.startswith(self.prefixes):
            return None
        return next(each for each in self.prefixes if token.startswith(each))

    def those_of(self, tokens: Iterable[Placed]) -> list[Placed]:
        """Return the tokens that are wanted, each as the wanted one that it is."""
        if not self.prefixes:
            return [each for each in tokens if each[2] in self.weights]
        keyed = ((start, end, self.key(token)) for start, end, token in tokens)
        return [(start, end, key) for start, end, key in keyed if key is not None]


class Analyser:
    """Takes texts apart with the very tokenizers of the index. Any thread may call.

    `keys` gives the bare tokens of a short text, and remembers them.
    """

    def __init__(self) -> None:
        self.keys = functools.lru_cache(_REMEMBERED)(self._keys)
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

    def places(self, text: str, wanted: Wanted) -> list[Token]:
        """The tokens of a text that are wanted; each as the wanted one that it is."""
        found = self._tokens(without_runs(text), wanted)
        if wanted.has_grams and not text.isascii():
            for start, run in runs_at(text):
                for index in range(len(run)):
                    pair = run[index : index + 2]
                    key = wanted.key(pair)
                    if key is not None:
                        found.append(Token(start + index, start + index + len(key), key))
        return found

    def _keys(self, text: str) -> tuple[str, ...]:
        return tuple(each.token for each in self.terms(text))

    def _tokens(self, text: str, wanted: Wanted | None = None) -> list[Token]:
        content = text.encode("utf-8", "replace")
        with self._lock:
            # One tuple a token: the library's type also covers what other flags return.
            found: Any = self._words(content, apsw.FTS5_TOKENIZE_DOCUMENT, None)
        if wanted is not None:
            found = wanted.those_of(found)
        if len(content) == len(text):
            return [Token(*each) for each in found]
        return _by_characters(content, found)


def _by_characters(content: bytes, found: list[Placed]) -> list[Token]:
    """Turn offsets of bytes into offsets of characters."""
    tokens: list[Token] = []
    byte = character = 0
    for start, end, token in found:
        character += len(content[byte:start].decode("utf-8", "replace"))
        size = len(content[start:end].decode("utf-8", "replace"))
        tokens.append(Token(character, character + size, token))
        byte, character = end, character + size
    return tokens
