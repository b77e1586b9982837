"""What the tree shows and how: its grouping, what is open, what is typed. Draws nothing."""

from __future__ import annotations

from collections.abc import Mapping

from tui.widgets.wiki.outline import Everything, Outline, folders_above
from tui.widgets.wiki.outline_filter import Narrowing, words_of
from tui.widgets.wiki.outline_groups import NEVER_OPENED, Group, View, group_notes
from tui.widgets.wiki.outline_row import Look, Marks
from vault.index.groups import PageGroups
from vault.listing import VaultListing

_OPEN_AT_START = "articles/"
_EMPTY = {
    View.FOLDERS: "No pages yet. /create makes one.",
    View.CATEGORIES: "No page is in a category.",
    View.TAGS: "No page has a tag.",
    View.RECENT: "No pages yet. /create makes one.",
    View.PINNED: "Nothing pinned. p pins a page.",
}
NEEDS_GROUPS = frozenset({View.CATEGORIES, View.TAGS})
NO_GROUPS = PageGroups()
_FLAT = frozenset({View.RECENT, View.PINNED})


class TreeState:
    """Holds the parts; `outline` makes the lines of them."""

    def __init__(self) -> None:
        self.view = View.FOLDERS
        self.listing: VaultListing | None = None
        self.groups: PageGroups | None = None
        self.problem = ""
        self.pinned: tuple[str, ...] = ()
        self.uncommitted: frozenset[str] = frozenset()
        self.opened = ""
        self.opened_at: Mapping[str, int] = NEVER_OPENED
        self.typed = ""
        self._open: dict[View, set[str]] = {view: set() for view in View}
        self._open[View.FOLDERS].add(_OPEN_AT_START)
        self._narrowing = Narrowing()
        self._top: tuple[object, Group] | None = None

    @property
    def look(self) -> Look:
        """How lines are drawn."""
        marks = Marks(self.opened, frozenset(self.pinned), self.uncommitted)
        return Look(1, 0.0, marks, words_of(self.typed), self.view in _FLAT)

    @property
    def empty(self) -> str:
        """What stands where there are no lines."""
        if self.listing is None:
            return ""
        if self.view in NEEDS_GROUPS and (self.problem or self.groups is None):
            return self.problem or "Reading the wiki …"
        return "No page is called that." if self.typed.strip() else _EMPTY[self.view]

    def outline(self) -> Outline:
        """The lines as they are now."""
        if self.listing is None:
            return Outline(Group("", ""), ())
        top = self._grouped(self.listing)
        if self.typed.strip():
            return Outline(self._narrowing.narrow(top, self.typed), Everything())
        return Outline(top, self._open[self.view])

    def fold(self, group: Group, is_open: bool) -> None:
        """Open or close a group."""
        if is_open:
            self._open[self.view].add(group.key)
        else:
            self._open[self.view].discard(group.key)

    def open_way_to(self, path: str) -> None:
        """Open the folders a page is in."""
        self._open[View.FOLDERS].update(folders_above(path))

    def _grouped(self, listing: VaultListing) -> Group:
        """The groups, made anew when something they are made of is another."""
        groups = self.groups or NO_GROUPS
        parts = (self.view, id(listing), id(groups), self.pinned, id(self.opened_at))
        if self._top is None or self._top[0] != parts:
            top = group_notes(self.view, listing, groups, self.pinned, self.opened_at)
            self._top = parts, top
        return self._top[1]
