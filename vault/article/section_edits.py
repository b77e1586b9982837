"""Edits of whole sections: replace, insert, append, remove; the rest of the page stays as it is."""

import re

from vault.anchors import heading_key
from vault.article.blocks import Layout, read_layout
from vault.article.fences import open_fence
from vault.article.lines import with_breaks
from vault.article.page import Article
from vault.article.sections import Section
from vault.article.splices import Edit, Edits, apply_edits, trimmed
from vault.errors import EditRefused

# The order in which an article ends; any other section comes before these.
CLOSING_TITLES = ("history", "see also", "notes", "references")
_ITEM = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]")
_HEADING_SAFE = re.compile(r"[^\r\n]+")


def replace_section(
    article: Article, section: Section, text: str, *, with_subsections: bool = False
) -> Edits:
    """Put `text` below the heading of a section; its blank lines before and after stay.

    Raises EditRefused when the text would change how what follows it is read.
    """
    end = section.tree_end if with_subsections else section.end
    start, end = _filled(article, section.body, end)
    edits = trimmed(article.text, _fitted(article, start, end, text))
    return _contained(article, edits, section.start, end)


def append_to_section(article: Article, section: Section, text: str) -> Edits:
    """Add `text` at the end of a section, above its subsections: a paragraph, or a list item."""
    start, end = _filled(article, section.body, section.end)
    lines = article.layout.lines
    last = lines.content(lines.line_of(end - 1)) if end > start else ""
    is_tight = _ITEM.match(last) is not None and _ITEM.match(text.lstrip("\r\n")) is not None
    edits = (_fitted(article, end, end, text, is_tight=is_tight),)
    return _contained(article, edits, section.start, section.end)


def insert_section(article: Article, title: str, text: str, level: int = 2) -> Edits:
    """Add a section where the grammar wants it: before History, See also, Notes, References."""
    if not _HEADING_SAFE.fullmatch(title.strip()) or not heading_key(title):
        raise EditRefused("A section needs a title of one line.")
    rank = closing_rank(title)
    later = (
        each.start
        for each in article.sections
        if each.level == 2 and closing_rank(each.title) > rank
    )
    place = next(later, len(article.text))
    body = f"\n\n{text.strip(_BLANK)}" if text.strip() else ""
    edits = (_fitted(article, place, place, f"{'#' * level} {title.strip()}{body}"),)
    return _contained(article, edits, place, place)


def remove_section(article: Article, section: Section) -> Edits:
    """Take a section away with its subsections."""
    edits = (Edit(section.start, section.tree_end, ""),)
    return _contained(article, edits, section.start, section.tree_end)


def closing_rank(title: str) -> int:
    """Return where a section comes in an article: 0 in its body, else its place at the end."""
    key = heading_key(title)
    return CLOSING_TITLES.index(key) + 1 if key in CLOSING_TITLES else 0


_BLANK = "\r\n"


def _filled(article: Article, start: int, end: int) -> tuple[int, int]:
    """Narrow a range of whole lines to what is not blank; empty at its start when all is."""
    lines = article.layout.lines
    filled = [
        line
        for line in range(lines.line_of(start), lines.line_of(max(start, end - 1)) + 1)
        if start <= lines.start(line) < end and not lines.is_blank(line)
    ]
    if not filled:
        return start, start
    return lines.start(filled[0]), lines.start(filled[-1] + 1)


def _fitted(article: Article, start: int, end: int, text: str, *, is_tight: bool = False) -> Edit:
    """Write `text` over whole lines, with a blank line around it and the breaks used there."""
    whole, line_break = article.text, article.layout.lines.break_near(start)
    body = with_breaks(text.strip(_BLANK), line_break)
    before, after = whole[:start], whole[end : end + 2]
    lead = ""
    if body and before and not _ends_line(before):
        lead = line_break
    # What takes the place of a text stands as close to its heading as that did.
    if body and before and start == end and not is_tight and not _ends_blank(article, start):
        lead += line_break
    if not body or (end == len(whole) and whole and not _ends_line(whole)):
        tail = ""
    elif not after or after[0] in _BLANK or (is_tight and start == end):
        tail = line_break
    else:
        tail = line_break * 2
    return Edit(start, end, f"{lead}{body}{tail}")


def _ends_line(text: str) -> bool:
    return text.endswith(("\n", "\r"))


def _ends_blank(article: Article, start: int) -> bool:
    """Tell whether the line above `start` is blank."""
    lines = article.layout.lines
    if not _ends_line(article.text[:start]):
        return False
    return lines.is_blank(lines.line_of(start - 1))


def _contained(article: Article, edits: Edits, start: int, end: int) -> Edits:
    """Return the edits if the blocks outside the range are read as before."""
    text = apply_edits(article.text, edits)
    shift = len(text) - len(article.text)
    after = read_layout(text)
    is_same = _outline(article.layout, start, end) == _outline(after, start, end + shift, -shift)
    if not is_same or (open_fence(after) and not open_fence(article.layout)):
        raise EditRefused(
            "The new text would swallow what follows it: it opens a code block or a comment"
            " and does not close it."
        )
    return edits


def _outline(
    layout: Layout, start: int, end: int, shift: int = 0
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return the top-level blocks before and behind a range, by where they start."""
    before: list[tuple[object, ...]] = []
    behind: list[tuple[object, ...]] = []
    for block in layout.blocks:
        offset = layout.lines.start(block.first)
        if block.depth == 0 and not start <= offset < end:
            where = offset if offset < start else offset + shift
            (before if offset < start else behind).append(
                (block.kind, block.level, block.content, where)
            )
    return before, behind
