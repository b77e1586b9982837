"""One line of the tree as text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from tui.text.marked import between, marked_line
from tui.widgets.wiki.age import age_words
from tui.widgets.wiki.outline import Branch, Leaf, Row
from tui.widgets.wiki.outline_filter import marks_in

INDENT = 2
_COLUMNS_WITH_AGE = 26
_DEEPEST = 8
_MUTED = "$foreground-muted"


@dataclass(frozen=True, slots=True)
class Marks:
    """What is known of pages besides their names."""

    opened: str = ""
    pinned: Collection[str] = ()
    uncommitted: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """How lines are drawn now: their width in cells, the time in seconds, words to mark."""

    width: int
    now: float
    marks: Marks
    words: Sequence[str] = ()
    is_flat: bool = False


def row_text(row: Row, look: Look, is_lit: bool) -> Content:
    """A line as wide as the tree; a lit one has one colour."""
    line = _branch(row, look) if isinstance(row, Branch) else _leaf(row, look)
    return Content(line.plain) if is_lit else line


def _branch(row: Branch, look: Look) -> Content:
    arrow = "▾ " if row.is_open else "▸ "
    title, spans = marks_in(row.group.title, look.words)
    name = marked_line(title, spans)
    left = Content.assemble(_indent(row.level), Content(arrow).stylize(_MUTED), name)
    return between(left, Content(f"{row.group.total:,}").stylize(_MUTED), look.width, 1)


def _leaf(row: Leaf, look: Look) -> Content:
    note = row.note
    title, spans = marks_in(note.title, look.words)
    name = marked_line(title, spans)
    if note.path == look.marks.opened:
        name = name.stylize_before("bold $article-title")
    elif note.is_excluded:
        name = name.stylize_before(_MUTED)
    start = "" if look.is_flat else " " * INDENT
    left = Content.assemble(_indent(row.level), start, name)
    return between(left, _right(row, look), look.width, 1)


def _right(row: Leaf, look: Look) -> Content:
    note = row.note
    signs = Content("")
    if note.path in look.marks.uncommitted:
        signs = Content("●").stylize("$unsaved-mark")
    if note.path in look.marks.pinned:
        signs = Content.assemble(signs, Content("◆").stylize("$text-accent"))
    age = age_words(look.now - note.modified_ns / 1e9)
    if look.width < _COLUMNS_WITH_AGE or cell_len(note.title) > look.width - _COLUMNS_WITH_AGE // 2:
        age = ""
    gap = " " if signs.plain and age else ""
    return Content.assemble(signs, gap, Content(age).stylize(_MUTED))


def _indent(level: int) -> str:
    return " " * (INDENT * min(level, _DEEPEST))
