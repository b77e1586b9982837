"""How one model marks thinking and tool calls in what it says, ready to be looked for.

A tag that the tokenizer has as a token counts only as that token: the same letters spelled out are
text the model quotes, perhaps from a hostile page. In tags, and in the text they are looked for in,
each such token is one surrogate, a character that decoded text never holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.worker.markup_families import Dialect, Edges, Route, State, dialect_of
from engine.worker.token_text import TokenBytes, decode
from engine.worker.tool_formats import ToolFormat, tool_format_of

_FIRST_SURROGATE = 0xD800
_LIKE_A_TAG = re.compile(r"[<\[].+[>\]]|｜.+｜", re.DOTALL)
_TAIL_TOKENS = 64
"""Of a prompt: more than the header of the turn to take."""


@dataclass(frozen=True, slots=True)
class Markup:
    """One tokenizer's. `call_ends` has the tags that end a call by the tag that begins it."""

    edges: Edges
    start: State
    after_call: State
    call_ends: Mapping[str, tuple[str, ...]]
    signs: Mapping[int, str]
    texts: Mapping[int, str]
    tokens: TokenBytes
    tools: ToolFormat | None
    thinks: bool

    def for_form(self) -> Markup:
        """For an answer held to a form: a tag spelled in letters is part of what it says."""
        signs = set(self.signs.values())
        kept = {
            tag: target
            for tag, target in self.edges.get("answer", {}).items()
            if not signs.isdisjoint(tag)
        }
        return replace(self, edges={**self.edges, "answer": kept})

    def readable(self, text: str) -> str:
        """The text with the tokens' own letters in place of their signs."""
        return text.translate(self.texts)

    def has_sign(self, text: str) -> bool:
        """Whether a token that tags are made of is in it."""
        return any(ord(character) in self.texts for character in text)

    def opening(self, tokenizer: Any, prompt: Sequence[int]) -> State:
        """Where the answer to this prompt begins: a template may have opened a thinking block."""
        tail = self._signed(tokenizer, prompt[-_TAIL_TOKENS:])
        if self.start == "header":
            return self._after_header(tail)
        opened, closed = -1, -1
        for tag, target in self.edges.get("answer", {}).items():
            if target == "thinking":
                # Spelled tags in the user's text look like the template's, except at the very end.
                is_token = any(sign in tag for sign in self.signs.values())
                is_last = tail.rstrip().endswith(tag)
                opened = max(opened, tail.rfind(tag) if is_token or is_last else -1)
        for tag in self.edges.get("thinking", {}):
            closed = max(closed, tail.rfind(tag))
        return "thinking" if opened > closed else "answer"

    def _after_header(self, tail: str) -> State:
        for tag, target in self.edges["header"].items():
            if tail.rstrip().endswith(tag):
                begun = max((tail.rfind(sign) for sign in self._header_signs), default=-1)
                return target(self.readable(tail[begun + 1 :])) if callable(target) else target
        return "header"

    @property
    def _header_signs(self) -> list[str]:
        return [tag for tag, to in self.edges.get("answer", {}).items() if to == "header"]

    def _signed(self, tokenizer: Any, tokens: Sequence[int]) -> str:
        parts: list[str] = []
        plain: list[int] = []
        for token in tokens:
            if token in self.signs:
                parts += [decode(tokenizer, plain), self.signs[token]]
                plain = []
            else:
                plain.append(token)
        return "".join([*parts, decode(tokenizer, plain)])


def markup_of(tokenizer: Any) -> Markup:
    """Read it off a tokenizer loaded by mlx-lm."""
    # Asked for once: a large vocabulary takes long to come.
    vocabulary: Mapping[str, int] = tokenizer.get_vocab()
    dialect = dialect_of(tokenizer, vocabulary)
    tools = tool_format_of(tokenizer, vocabulary)
    signs = _Signs(tokenizer, vocabulary)
    edges = _edges(dialect, tools, signs)
    ends = tools.ends if tools else {}
    return Markup(
        edges=edges,
        start=dialect.start,
        after_call=dialect.after_call,
        call_ends={
            signs.sign(start): tuple(signs.sign(end) for end in tags)
            for start, tags in ends.items()
        },
        signs=signs.by_token,
        texts={ord(sign): signs.texts[token] for token, sign in signs.by_token.items()},
        tokens=TokenBytes(tokenizer),
        tools=tools,
        thinks=dialect.thinks,
    )


def _edges(dialect: Dialect, tools: ToolFormat | None, signs: _Signs) -> Edges:
    spelled: dict[State, dict[str, State | Route]] = {
        state: dict(targets) for state, targets in dialect.edges.items()
    }
    for start in tools.ends if tools and not tools.begins_in_header else ():
        # A call begins where an answer may; in a headed format, where its header leads to.
        for state in ("answer", "header") if dialect.start == "header" else ("answer",):
            spelled.setdefault(state, {}).setdefault(start, "tool")
    return {
        state: {signs.sign(tag): target for tag, target in targets.items()}
        for state, targets in spelled.items()
    }


class _Signs:
    """Gives each token that a tag is made of a surrogate."""

    def __init__(self, tokenizer: Any, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        added = (str(token.content) for token in tokenizer.added_tokens_decoder.values())
        self._tags = sorted(filter(_LIKE_A_TAG.fullmatch, added), key=len, reverse=True)
        self.by_token: dict[int, str] = {}
        self.texts: dict[int, str] = {}

    def sign(self, tag: str) -> str:
        """The tag as it is looked for."""
        if tag in self._vocabulary and _LIKE_A_TAG.fullmatch(tag):
            return self._sign(tag)
        for token in self._tags:
            if token in tag:
                before, after = tag.split(token, 1)
                return self.sign(before) + self._sign(token) + self.sign(after)
        return tag

    def _sign(self, token: str) -> str:
        id = self._vocabulary[token]
        self.texts[id] = token
        return self.by_token.setdefault(id, chr(_FIRST_SURROGATE + len(self.by_token)))
