"""The blocks of a page: what is plain is found here at once, the rest by markdown-it.

Headings, prose, fences and flat lists are most of a page, and one expression finds each of them.
Where a line may be anything else, the lines up to the next text behind a blank line go to the
parser. The blocks are always those that the parser finds in the whole page.
"""

import functools
import re
from collections.abc import Iterator

from vault.article.block import Block, BlockKind
from vault.article.block_parser import parse_blocks

# The first character of a line, or its first few, that can only be prose.
_PROSE = (
    r"(?:[^\s\#>`~<*\-_+=\d\[]|\d++(?![.)\d])|[*_]{1,2}(?![*_\s]|\Z)|[-+](?![-+\s]|\Z)"
    r"|\#++(?!\s|\Z)|`{1,2}(?!`)|\[\[)"
)
_BLANK = r"[ \t]*(?:\n|\Z)"
_END = r"(?:\n|\Z)"
_FENCE = r"[ ]{0,3}(?P<marks>`{3,}+(?![^\n]*`)|~{3,}+)"
# What a text of more than one line may go on with; here a bracket defines no link.
_MORE = rf"(?:\n[ \t]*(?:{_PROSE}|\[)[^\n]*)*+"
_ENDS_PROSE = rf"{_BLANK}|\#{{1,6}}(?:\s|\Z)|{_FENCE.replace('?P<marks>', '?:')}|>|[-*+][ ]+\S"
_ENDS_LIST = r"(?:\n(?:[ \t]+(?=\n))?)*+\Z|\n(?:[ \t]*\n)++(?=[^\s\-*+\d])|\n(?=\#{1,6}[ \t])"


def _plain(start: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
        (?P<blank>(?:[ \t]*\n)+|[ \t]+\Z)
        |(?P<heading>(?P<level>\#{{1,6}})(?P<title>[ \t][^\n]*)?{_END})
        |(?P<prose>[ ]{{0,3}}{start}[^\n]*{_MORE}(?:\n(?={_ENDS_PROSE})|\Z))
        |(?P<list>(?P<bullet>[-*+])[ ]{start}[^\n]*
            (?P<items>(?:\n(?P=bullet)[ ]{start}[^\n]*)*+)(?:{_ENDS_LIST}))
        |(?P<fence>{_FENCE}(?P<info>[^\n]*){_END})
        |(?P<rule>[ ]{{0,3}}(?P<mark>[-*_])[ \t]*(?:(?P=mark)[ \t]*){{2,}}+{_END})
        """,
        re.VERBOSE,
    )


_WITH_DEFINITIONS = _plain(_PROSE)
_WITHOUT_DEFINITIONS = _plain(rf"(?:{_PROSE}|\[)")
_TEXT_BEHIND_BLANK_LINE = re.compile(r"\n[ \t]*\n(?=[^\W\d_]|\#{1,6}[ \t])")
# What such a text does not end.
_GOES_ON = re.compile(
    r"^ {0,3}(?:```|~~~|<[!?]|<(?:pre|script|style|textarea))", re.MULTILINE | re.IGNORECASE
)


def read_blocks(body: str, first_line: int, line_count: int) -> Iterator[Block]:
    """Yield the blocks of a text with LF only, whose first line is `first_line` of its page.

    Takes time that grows with the length of the text.
    """
    plain = _WITH_DEFINITIONS if "]:" in body else _WITHOUT_DEFINITIONS
    start, line = 0, first_line
    while start < len(body):
        found = plain.match(body, start)
        end = _end(body, found) if found else None
        is_plain = end is not None
        if end is None:
            end = _end_of_others(body, start)
        past = line + body.count("\n", start, end) + (end == len(body) and body[-1] != "\n")
        if found and is_plain:
            yield from _blocks(found, line, past)
        else:
            yield from parse_blocks(body[start:end], line, line_count)
        start, line = end, past


def _end(body: str, found: re.Match[str]) -> int | None:
    """Return where a plain block ends; None for one that is not plain after all."""
    match found.lastgroup:
        case "fence":
            closing = _closing(found["marks"]).search(body, found.end())
            return closing.end() if closing else None
        case "heading" if found["title"]:
            title = found["title"].strip(" \t")
            return found.end() if title == title.strip() else None
        case _:
            return found.end()


def _end_of_others(body: str, start: int) -> int:
    found = _TEXT_BEHIND_BLANK_LINE.search(body, start)
    if found is None or _GOES_ON.search(body, start, found.end()):
        return len(body)
    return found.end()


def _blocks(found: re.Match[str], line: int, past: int) -> Iterator[Block]:
    match found.lastgroup:
        case "heading":
            level, title = len(found["level"]), _title(found["title"] or "")
            yield Block(BlockKind.HEADING, line, past, 0, level, title)
        case "prose":
            yield Block(BlockKind.PARAGRAPH, line, past, 0)
        case "fence":
            info, marks = found["info"].strip(), found["marks"]
            yield Block(BlockKind.FENCE, line, past, 0, 0, info, marks)
        case "rule":
            yield Block(BlockKind.RULE, line, past, 0)
        case "list":
            yield Block(BlockKind.LIST, line, past, 0)
            for item in range(line, line + 1 + found["items"].count("\n")):
                yield Block(BlockKind.PARAGRAPH, item, item + 1, 2)
        case _:
            pass


def _title(written: str) -> str:
    """The text of a heading, without the number signs that may close it."""
    text = written.rstrip(" \t")
    bare = text.rstrip("#")
    return (bare if bare[-1:] in {" ", "\t"} else text).strip(" \t")


@functools.cache
def _closing(marks: str) -> re.Pattern[str]:
    return re.compile(rf"^ {{0,3}}{marks[0]}{{{len(marks)},}}[ \t]*(?:\n|\Z)", re.MULTILINE)
