"""Blanks out what is not prose, so that offsets found in the copy are offsets in the text.

Front matter, code blocks and code spans, comments and formulas become spaces; every line break
stays. Blocks come from markdown-it's block parser; it gives no positions inside a line, so
spans inside paragraphs are scanned here.
"""

import bisect
import functools
import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_NOT_BREAK = re.compile(r"[^\r\n]")
_LINE_END = re.compile(r"\r\n|\r|\n")
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n(?s:.*?)^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TICKS = re.compile("`+")
_RAW_HTML = re.compile(r"\s*<(?:pre|script|style|textarea)\b", re.IGNORECASE)
_INLINE_MATH = re.compile(r"(?<![\\$])\$(?![\s$])[^$\n\r]{0,1000}?(?<![\s\\])\$(?![\d$])")
# In this order; an opening mark without its closing mark hides nothing.
_PAIRED_MARKS = (("%%", "%%"), ("<!--", "-->"), ("$$", "$$"))

Span = tuple[int, int]


def masked(text: str) -> str:
    """Return a copy of equal length in which only prose is left."""
    copy = _blanked(text, [(0, _front_matter_end(text))])
    starts = _line_starts(copy)
    tokens = _block_tokens(copy)
    spans = [span for token in tokens if _is_code(token) for span in _lines(token, starts)]
    for token in tokens:
        if token.type == "inline":
            spans += [code for span in _lines(token, starts) for code in _code_spans(copy, span)]
    copy = _blanked(copy, spans)
    for opening, closing in _PAIRED_MARKS:
        copy = _blanked(copy, _paired(copy, opening, closing))
    return _INLINE_MATH.sub(lambda found: " " * len(found.group()), copy)


def headings(text: str) -> list[tuple[int, int, str]]:
    """Return (line number from 0, level, source text) of the headings outside code."""
    tokens = _block_tokens(_blanked(text, [(0, _front_matter_end(text))]))
    return [
        (opening.map[0], int(opening.tag[1:]), content.content)
        for opening, content in itertools.pairwise(tokens)
        if opening.type == "heading_open" and opening.map
    ]


def is_escaped(text: str, position: int) -> bool:
    """Tell whether a backslash takes the character at `position` its meaning."""
    backslashes = 0
    while position > backslashes and text[position - 1 - backslashes] == "\\":
        backslashes += 1
    return backslashes % 2 == 1


def _front_matter_end(text: str) -> int:
    # Equal in length, so that the end found in it is the end in the text.
    found = _FRONT_MATTER.match(text.replace("\r", "\n"))
    return found.end() if found else 0


def _block_tokens(text: str) -> "list[Token]":
    tokens: list[Token] = []
    plain = _LINE_END.sub("\n", text).replace("\0", "\ufffd")
    _parser().block.parse(plain, _parser(), {}, tokens)
    return tokens


@functools.cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _is_code(token: "Token") -> bool:
    return token.type in {"fence", "code_block"} or (
        token.type == "html_block" and _RAW_HTML.match(token.content) is not None
    )


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in _LINE_END.finditer(text)), len(text)]


def _lines(token: "Token", starts: list[int]) -> list[Span]:
    if token.map is None:
        return []
    last = len(starts) - 1
    return [(starts[min(token.map[0], last)], starts[min(token.map[1], last)])]


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
        pieces += [text[done:first], _NOT_BREAK.sub(" ", text[first:end])]
        done = end
    return "".join([*pieces, text[done:]])
