"""The form `[text](Page.md)`, found by its brackets: a picture may be the text of a link."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BREAK = r"(?:\r\n?|\n)?"
GAP = rf"[ \t]{{0,99}}{_BREAK}[ \t]{{0,99}}"
DEFINED = r"^ {0,3}\[(?P<label>(?!\^)(?:[^\[\]\\\r\n]|\\.){1,999})\]:"
_PIECE = r"\\.|\([^\s()]{0,500}\)"
DESTINATION = rf"<[^<>\r\n]{{0,2000}}>|(?:[^\s()<\\]|{_PIECE})(?:[^\s()\\]|{_PIECE}){{0,2000}}"
TITLE = r"\"(?:[^\"\\]|\\.){0,999}\"|'(?:[^'\\]|\\.){0,999}'|\((?:[^()\\]|\\.){0,999}\)"
_MARK = re.compile(r"\\.|!?\[|\]|(?:\r\n|\r(?!\n)|\n)[ \t]*+(?=[\r\n])")
_AFTER = re.compile(rf"\({GAP}(?P<target>{DESTINATION})(?:(?=\s){GAP}(?:{TITLE}))?{GAP}\)")


@dataclass(frozen=True, slots=True)
class BracketLink:
    """Spans of code points; `start` is that of the opening bracket or of an embed's mark."""

    start: int
    end: int
    label: tuple[int, int]
    target: tuple[int, int]
    is_embed: bool


def bracket_links(copy: str) -> Iterator[BracketLink]:
    """Find them in a masked copy of a page; a link within the text of another is the link."""
    if "](" not in copy:
        return
    opened: list[tuple[int, bool]] = []
    dead = 0
    for mark in _MARK.finditer(copy):
        match mark.group():
            case "[" | "![":
                opened.append((mark.end() - 1, len(mark.group()) == 2))
            case "]" if opened:
                start, is_embed = opened.pop()
                is_dead = len(opened) < dead and not is_embed
                dead = min(dead, len(opened))
                found = None if is_dead else _AFTER.match(copy, mark.end())
                if found is not None:
                    dead = dead if is_embed else len(opened)
                    label = (start + 1, mark.start())
                    target = found.span("target")
                    yield BracketLink(start - is_embed, found.end(), label, target, is_embed)
            case text if text[0] in "\r\n":
                # Brackets of two paragraphs do not belong together.
                opened.clear()
                dead = 0
            case _:
                pass
