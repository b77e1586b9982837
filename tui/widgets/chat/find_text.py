"""Where words stand in messages, counted in the text that is drawn, not in its marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from tui.markdown.parser import make_parser
from tui.text.sanitise import to_display

_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Said:
    """A message as far as it is searched."""

    message: str
    text: str
    is_markdown: bool


@dataclass(frozen=True, slots=True)
class Place:
    """One hit: the message, and which of the hits in it."""

    message: str
    number: int


def pattern_of(words: str) -> re.Pattern[str] | None:
    """What is looked for: these words in any case, with any blanks between; None for nothing."""
    parts = words.split()
    if not parts:
        return None
    return re.compile(r"\s+".join(map(re.escape, parts)), re.IGNORECASE)


def places(messages: Iterable[Said], words: str) -> tuple[Place, ...]:
    """Every hit, in the order of the messages."""
    pattern = pattern_of(words)
    if pattern is None:
        return ()
    letters = _letters(words)
    found: list[Place] = []
    for said in messages:
        # Parsing takes its time, and most messages have nothing of the kind.
        if letters in _letters(said.text) or "&" in said.text:
            hits = sum(len(pattern.findall(block)) for block in blocks_of(said))
            found += [Place(said.message, number) for number in range(hits)]
    return tuple(found)


def blocks_of(said: Said) -> Iterator[str]:
    """The text of each widget that draws a message, from top to bottom."""
    text = to_display(said.text)
    if not said.is_markdown:
        yield text
        return
    for token in make_parser().parse(text):
        if token.type in {"fence", "code_block"}:
            yield token.content.rstrip()
        elif token.type == "inline":
            yield "".join(map(_drawn, token.children or ()))


def _letters(text: str) -> str:
    """Without blanks and whatever may be a mark."""
    return _MARKS.sub("", text).casefold()


def _drawn(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return " " if token.type == "softbreak" else "\n"
    if token.type == "image":
        return "🖼  " + "".join(child.content for child in token.children or ())
    return token.content if token.type in {"text", "code_inline"} else ""
