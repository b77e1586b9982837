"""Repairs code fences that a model left open or opened by mistake, so that sections are seen."""

import re
from collections.abc import Iterator

from vault.article.block import Block, BlockKind
from vault.article.blocks import Layout, read_layout
from vault.article.splices import Edit, Edits, apply_edits, trimmed

# A `# ` line in a code block is usually a comment of the code; a deeper one is a heading.
_HEADING = re.compile(r"#{2,6}[ \t]+\S")
_OPENER = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^`\r\n]*?)[ \t]*")
# In characters: what all the attempts at one page may read, and what each costs beside its own.
_MOST_READ, _EACH = 2_000_000, 5_000
_MOST_CANDIDATES = 4


def open_fence(layout: Layout) -> Block | None:
    """Return the fence that runs on to the end of the page, if one does."""
    fences = list(layout.top_level(BlockKind.FENCE))
    return fences[-1] if fences and not layout.is_closed(fences[-1]) else None


def repair_fences(text: str) -> Edits:
    """Return the edits that close an open fence, or take a stray one away; none for sound pages.

    Headings of level two and deeper tell where code was meant to end. A page too broken to
    mend is left alone.
    """
    repaired, layout, read = text, read_layout(text), 0
    while candidates := _candidates(layout):
        attempts = [apply_edits(repaired, (edit,)) for edit in candidates]
        read += sum(len(attempt) + _EACH for attempt in attempts)
        if read > _MOST_READ:
            return ()
        layouts = [read_layout(attempt) for attempt in attempts]
        best = max(range(len(layouts)), key=lambda index: _soundness(layouts[index], index))
        repaired, layout = attempts[best], layouts[best]
    return trimmed(text, Edit(0, len(text), repaired))


def _soundness(layout: Layout, index: int) -> tuple[bool, int, int]:
    seen = sum(block.level > 1 for block in layout.top_level(BlockKind.HEADING))
    return not _candidates(layout), seen, -index


def _candidates(layout: Layout) -> list[Edit]:
    """Return the repairs worth trying; none when every fence is sound."""
    fences = list(layout.top_level(BlockKind.FENCE))
    unclosed = open_fence(layout)
    swallowers = [fence for fence in fences if _swallows(layout, fence)]
    if unclosed is None and not swallowers:
        return []
    suspects = [fence for fence in fences if _first_heading(layout, fence) is not None]
    chosen = list(dict.fromkeys([*suspects[:_MOST_CANDIDATES], *swallowers[:1], unclosed]))
    return [_repair(layout, fence) for fence in chosen if fence is not None]


def _first_heading(layout: Layout, fence: Block) -> int | None:
    return next((line for line in _inner(layout, fence) if _is_heading(layout, line)), None)


def _swallows(layout: Layout, fence: Block) -> bool:
    """Tell whether a heading and, behind it, the opening of another fence lie in a fence."""
    has_heading = False
    for line in _inner(layout, fence):
        if _is_heading(layout, line):
            has_heading = True
        elif has_heading:
            opener = _OPENER.fullmatch(layout.lines.content(line))
            if opener and opener["info"] and opener["marks"].startswith(fence.marks):
                return True
    return False


def _is_heading(layout: Layout, line: int) -> bool:
    return _HEADING.match(layout.lines.content(line)) is not None


def _inner(layout: Layout, fence: Block) -> Iterator[int]:
    return iter(range(fence.first + 1, fence.end - layout.is_closed(fence)))


def _repair(layout: Layout, fence: Block) -> Edit:
    lines = layout.lines
    heading = _first_heading(layout, fence)
    until = fence.end if heading is None else heading
    filled = [line for line in range(fence.first + 1, until) if not lines.is_blank(line)]
    if not filled:
        return Edit(lines.start(fence.first), lines.start(fence.first + 1), "")
    last = filled[-1]
    line_break = lines.break_near(lines.end(last))
    if lines.end(last) < lines.start(last + 1):
        place = lines.start(last + 1)
        return Edit(place, place, f"{fence.marks}{line_break}")
    return Edit(len(lines.text), len(lines.text), f"{line_break}{fence.marks}")
