"""Paragraphs that are more than prose: tasks, embeds, pictures, formulas, the marks of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from tui.document.blocks import LiteralBody, PictureBody, ProseBody
from tui.document.roles import Role

# Some texts make the inline parser take long, and a long paragraph is laid out in one go.
LONGEST_PIECE = 8_000

_TASK = re.compile(r"\[([^\[\]\n])\](?:[ \t]+|\Z)")
_EMBED = re.compile(r"!\[\[(?P<target>[^\[\]\n|]+)(?:\|(?P<label>[^\[\]\n]*))?\]\]")
_SIZE = re.compile(r"(?:^|\|)\s*(?P<width>\d{1,5})(?:x\d{1,5})?\s*\Z")
_PICTURE = re.compile(
    r"!\[(?P<alt>[^\[\]\n]*)\]\((?P<src><[^<>\n]+>|[^\s()]+)(?:\s+\"[^\"\n]*\")?\)"
)
_FORMULA = re.compile(r"\$\$(?P<formula>.+)\$\$", re.DOTALL)
_STUB = re.compile(r"\{\{stub\}\}", re.IGNORECASE)
_CATEGORIES = re.compile(r"categories:", re.IGNORECASE)
STUB_NOTE = "stub · this article is only a beginning"


@dataclass(frozen=True, slots=True)
class Embed:
    """A page to show in place."""

    target: str
    label: str


Piece = ProseBody | LiteralBody | PictureBody | Embed


def read_task(source: str) -> tuple[str, str] | None:
    """The character in a task's box and the task's text; None when there is no box."""
    found = _TASK.match(source)
    return (found[1], source[found.end() :]) if found else None


def read_picture_label(label: str) -> tuple[str, int | None]:
    """The text of a picture's label, and the width in pixels that may end it: `text|200x100`."""
    size = _SIZE.search(label)
    if size is None:
        return label.strip(), None
    return label[: size.start()].strip(), int(size["width"]) or None


def read_paragraph(source: str) -> Iterator[Piece]:
    """What a paragraph consists of."""
    formula = _FORMULA.fullmatch(source.strip())
    if formula:
        yield LiteralBody(formula["formula"].strip("\n"), (Role.MATH,))
        return
    prose: list[str] = []
    for line in source.split("\n"):
        alone = _alone(line.strip())
        if alone is None:
            prose.append(line)
            continue
        yield from _prose(prose)
        prose = []
        yield alone
    yield from _prose(prose)


def _alone(line: str) -> Piece | None:
    """What a line is when it is no prose."""
    if line.startswith("!["):
        if embed := _EMBED.fullmatch(line):
            return Embed(embed["target"].strip(), (embed["label"] or "").strip())
        if picture := _PICTURE.fullmatch(line):
            alt, width = read_picture_label(picture["alt"])
            return PictureBody(unquote(picture["src"].strip("<>")), alt, width)
    elif _STUB.fullmatch(line):
        return LiteralBody(STUB_NOTE, (Role.TAG,))
    elif _CATEGORIES.match(line):
        return ProseBody(line, (Role.QUIET,))
    return None


def _prose(lines: list[str]) -> Iterator[ProseBody]:
    text = "\n".join(lines)
    if not text.strip():
        return
    while len(text) > LONGEST_PIECE * 2:
        end = max(text.rfind("\n", 0, LONGEST_PIECE), text.rfind(" ", 0, LONGEST_PIECE))
        end = end if end > LONGEST_PIECE // 2 else LONGEST_PIECE
        yield ProseBody(text[:end])
        text = text[end:].lstrip("\n ")
    yield ProseBody(text)
