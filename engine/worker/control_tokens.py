"""Which tokens of a tokenizer are structure, and where a text would become one of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.worker.literals import compile_literals

_TAG = re.compile(r"<[^<>\s]{1,64}>|\[[^\[\]\s]{1,64}\]")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[\w-]*")
_SHORTEST_FOLDED = 2


@dataclass(frozen=True, slots=True)
class Danger:
    """A part of a text. One that is no `token` as it stands is one once it is rewritten."""

    start: int
    end: int
    is_token: bool


class ControlTokens:
    """Of one tokenizer. `ids` are those of the names that are one token."""

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` is mlx-lm's wrapper."""
        inner = tokenizer._tokenizer
        self.names = frozenset(_added_names(inner)) | frozenset(_tags(tokenizer))
        vocabulary: dict[str, int] = inner.get_vocab()
        self.ids = frozenset(vocabulary[name] for name in self.names if name in vocabulary)
        self._exact = compile_literals(self.names)
        folded = {fold(name) for name in self.names}
        self._folded = compile_literals(name for name in folded if len(name) >= _SHORTEST_FOLDED)
        self._beginnings = {name[:end] for name in self.names for end in range(1, len(name))}
        self._endings = {name[start:] for name in self.names for start in range(1, len(name))}
        self._all_names = "\n".join(sorted(self.names))
        self._longest = max(map(len, self.names), default=0)
        self._reader = _NormalizedReader.of(inner, self.ids)

    def find(self, text: str) -> list[Danger]:
        """Where the text would become a control token, in order and apart from each other."""
        found = [Danger(*match.span(), is_token=True) for match in self._exact.finditer(text)]
        taken = {place for danger in found for place in range(danger.start, danger.end)}
        for start, end in self._reader.find(text) if self._reader else ():
            if taken.isdisjoint(range(start, end)):
                found.append(Danger(start, end, is_token=True))
                taken.update(range(start, end))
        for start in self._rewritten(text):
            if start not in taken:
                found.append(Danger(start, start + 1, is_token=False))
                taken.add(start)
        return sorted(found, key=lambda danger: danger.start)

    def may_end_one(self, text: str) -> bool:
        """Whether something before this text could complete it to a control token."""
        return self._touches(text, self._endings, -1)

    def may_begin_one(self, text: str) -> bool:
        """Whether something after this text could complete it to a control token."""
        return self._touches(text, self._beginnings, 1)

    def _touches(self, text: str, parts: set[str], side: int) -> bool:
        text = text.strip()
        if not _WORD.fullmatch(text) and text in self._all_names:
            return True
        lengths = range(1, min(len(text), self._longest) + 1)
        return any((text[-n:] if side > 0 else text[:n]) in parts for n in lengths)

    def _rewritten(self, text: str) -> Iterator[int]:
        """Where a template that changes letters or drops blanks would make a control token."""
        folded = fold(text)
        if not self._folded.search(folded):
            return
        places = [place for place, letter in enumerate(text) for _ in fold(letter)]
        start = 0
        # Overlapping ones too: a break in the longer one may leave a shorter one whole.
        while match := self._folded.search(folded, start):
            start = match.start() + 1
            yield places[match.start()]


@dataclass(frozen=True, slots=True)
class _NormalizedReader:
    """Asks a tokenizer that looks for added tokens in normalised text."""

    encode: Any
    ids: frozenset[int]

    @classmethod
    def of(cls, inner: Any, ids: frozenset[int]) -> _NormalizedReader | None:
        backend = getattr(inner, "backend_tokenizer", None)
        if backend is None or backend.normalizer is None:
            return None
        tokens = inner.added_tokens_decoder.items()
        is_needed = any(token.normalized for id, token in tokens if id in ids)
        return cls(backend.encode, ids) if is_needed else None

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        encoding = self.encode(text, add_special_tokens=False)
        for id, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
            if id in self.ids:
                # A token may swallow the blanks beside it.
                inside = text[start:end]
                yield (
                    start + len(inside) - len(inside.lstrip()),
                    end - len(inside) + len(inside.rstrip()),
                )


def fold(text: str) -> str:
    """The text without case, width and blanks; each character by itself folds to its part of it."""
    text = text.replace("\u2581", " ")
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return _SPACES.sub("", text).casefold()


def _added_names(inner: Any) -> Iterator[str]:
    for token in inner.added_tokens_decoder.values():
        if token.content and (token.special or not _is_writing(token.content)):
            yield token.content


def _tags(tokenizer: Any) -> Iterator[str]:
    """What marks thinking and tool calls, and tags of the template that are tokens."""
    markers: Iterable[str | None] = (
        tokenizer.think_start,
        tokenizer.think_end,
        tokenizer.tool_call_start,
        tokenizer.tool_call_end,
        *tokenizer.structural_markers,
    )
    yield from (marker for marker in markers if marker and not _is_writing(marker))
    template = tokenizer._tokenizer.chat_template or ""
    vocabulary = tokenizer._tokenizer.get_vocab()
    for text in template.values() if isinstance(template, dict) else (template,):
        yield from (tag for tag in _TAG.findall(text) if tag in vocabulary)


def _is_writing(content: str) -> bool:
    """Some vocabularies add letters, words and runs of blanks: those are no structure."""
    content = content.replace("\u2581", " ")
    return len(content) == 1 or all(
        letter.isspace() or unicodedata.category(letter)[0] in "LMN" for letter in content
    )
