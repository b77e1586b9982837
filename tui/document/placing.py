"""Where the next block goes: its margin, its distance to the one above, the groups it is in."""

from __future__ import annotations

from dataclasses import dataclass, field

from markdown_it.token import Token

from tui.document.blocks import Block, Body, CalloutBody, HeadingBody, ProseBody
from tui.document.containers import Containers, GroupIds
from tui.document.page import Page

_LARGE_GAP = 2


@dataclass(slots=True)
class OpenList:
    """A list under way; `width` is that of its numbers, 0 for bullets."""

    width: int = 0
    is_first_item: bool = True


@dataclass(kw_only=True)
class Placing:
    """The blocks of a page so far; `first_line` is where its text begins in its file."""

    page: Page
    ids: GroupIds
    first_line: int = 0
    containers: Containers = field(default_factory=Containers)
    blocks: list[Block] = field(default_factory=list)
    outer_groups: tuple[int, ...] | None = None
    lists: list[OpenList] = field(default_factory=list)
    sections: list[tuple[int, int]] = field(default_factory=list)

    @property
    def groups(self) -> tuple[int, ...]:
        """The groups that hide the next block."""
        sections = (group for _, group in self.sections)
        return (*(self.outer_groups or ()), *self.containers.groups, *sections)

    def add(self, body: Body, line: int, gap: int = 1) -> None:
        """Add a block."""
        margin, mark = self.containers.margin(), self.containers.mark()
        block = Block(body, self.page, line + self.first_line, margin, gap, self.groups, mark)
        self.blocks.append(block)
        self.containers.use()

    def add_heading(self, token: Token, source: str, line: int) -> None:
        """Add a heading, which opens a section unless it is nested or embedded."""
        level = int(token.tag[1:])
        group = None
        if token.level == 0 and self.outer_groups is None:
            while self.sections and self.sections[-1][0] >= level:
                self.sections.pop()
            group = self.ids.take()
        is_below_heading = bool(self.blocks) and isinstance(self.blocks[-1].body, HeadingBody)
        is_apart = level == 2 and group is not None and not is_below_heading
        gap = _LARGE_GAP if is_apart else 1
        self.add(HeadingBody(level, source, group), line, gap)
        if group is not None:
            self.sections.append((level, group))

    def gap(self, is_tight: bool) -> int:
        """The blank lines before the next block; `is_tight` in a list without any."""
        last = self.blocks[-1].body if self.blocks else None
        if isinstance(last, HeadingBody):
            return 1 if last.level == 1 else 0
        if isinstance(last, CalloutBody):
            return 0
        is_first = len(self.lists) == 1 and self.lists[0].is_first_item
        return 0 if is_tight and not (is_first and self.is_item_start) else 1

    def note_gap(self) -> int:
        """The blank lines before the next footnote."""
        last = self.blocks[-1].body if self.blocks else None
        if isinstance(last, ProseBody) and last.note is not None:
            return 0
        return self.gap(is_tight=False)

    @property
    def is_item_start(self) -> bool:
        """Whether the next block begins a list item."""
        levels = self.containers.levels
        return bool(self.lists and levels) and not levels[-1].is_used
