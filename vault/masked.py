"""Blanks out what is not prose, so that offsets found in the copy are offsets in the text.

Front matter, code blocks and code spans, comments and formulas become spaces; every line break
stays. Blocks come from markdown-it's block parser; it gives no positions inside a line, so
spans inside paragraphs are scanned here.
"""

import bisect
import re

from vault.article.block import BlockKind
from vault.article.blocks import Layout, read_layout

_NOT_BREAK = re.compile(r"[^\r\n]")
_TICKS = re.compile("`+")
_RAW_HTML = re.compile(r"\s*<(?:pre|script|style|textarea)\b", re.IGNORECASE)
# A link that begins before a formula would is a link: its page may have `$` in its name.
_INLINE_MATH = re.compile(
    r"(?P<link>\[\[[^\[\]\r\n]{1,2000}\]\]|\]\((?:<[^<>\r\n]{1,2000}>|[^\s()]{1,2000})\))"
    r"|(?<![\\$])\$(?![\s$])[^$\n\r]{0,1000}?(?<![\s\\])\$(?![\d$])"
)
# In this order; an opening mark without its closing mark hides nothing.
_PAIRED_MARKS = (("%%", "%%"), ("<!--", "-->"), ("$$", "$$"))

Span = tuple[int, int]


def masked(text: str) -> str:
    """Return a copy of equal length in which only prose is left."""
    return mask(read_layout(text))


def mask(layout: Layout) -> str:
    """Return the masked copy of a page whose blocks are known."""
    spans = [(0, layout.lines.start(layout.front_lines))] if layout.front_lines else []
    ticks = _Ticks(layout.text)
    for block in layout.blocks:
        match block.kind:
            case BlockKind.FENCE | BlockKind.INDENTED_CODE:
                spans.append(layout.span(block))
            case BlockKind.HTML if _RAW_HTML.match(block.content):
                spans.append(layout.span(block))
            case BlockKind.HEADING | BlockKind.PARAGRAPH:
                within = layout.span(block)
                if ticks.are_in(*within):
                    spans += _code_spans(layout.text, within)
            case _:
                pass
    copy = _blanked(layout.text, spans)
    for opening, closing in _PAIRED_MARKS:
        if opening in copy:
            copy = _blanked(copy, _paired(copy, opening, closing))
    return _INLINE_MATH.sub(_without_formula, copy) if "$" in copy else copy


def _without_formula(found: re.Match[str]) -> str:
    return found.group() if found["link"] else " " * len(found.group())


def headings(text: str) -> list[tuple[int, int, str]]:
    """Return (line number from 0, level, source text) of the headings outside code."""
    return [
        (block.first, block.level, block.content)
        for block in read_layout(text).blocks
        if block.kind is BlockKind.HEADING
    ]


def is_escaped(text: str, position: int) -> bool:
    """Tell whether a backslash takes the character at `position` its meaning."""
    backslashes = 0
    while position > backslashes and text[position - 1 - backslashes] == "\\":
        backslashes += 1
    return backslashes % 2 == 1


class _Ticks:
    """Tells where backticks are; asked from the start of a text to its end it looks once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = -1

    def are_in(self, start: int, end: int) -> bool:
        if self._next < start:
            found = self._text.find("`", start)
            self._next = len(self._text) if found < 0 else found
        return self._next < end


def _code_spans(text: str, within: Span) -> list[Span]:
    runs = [found.span() for found in _TICKS.finditer(text, *within)]
    by_length: dict[int, list[int]] = {}
    for start, end in runs:
        by_length.setdefault(end - start, []).append(start)
    spans: list[Span] = []
    free_from = within[0]
    for start, end in runs:
        if start < free_from or (end - start == 1 and is_escaped(text, start)):
            continue
        same = by_length[end - start]
        after = bisect.bisect_left(same, end)
        if after < len(same):
            free_from = same[after] + end - start
            spans.append((start, free_from))
    return spans


def _paired(text: str, opening: str, closing: str) -> list[Span]:
    spans: list[Span] = []
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        spans.append((start, end + len(closing)))
        start = text.find(opening, end + len(closing))
    return spans


def _blanked(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end <= done:
            continue
        first = max(start, done)
        hidden = text[first:end]
        is_one_line = "\n" not in hidden and "\r" not in hidden
        pieces += [
            text[done:first],
            " " * len(hidden) if is_one_line else _NOT_BREAK.sub(" ", hidden),
        ]
        done = end
    return "".join([*pieces, text[done:]])
