"""The tree: every page of the wiki by folder, category, tag, last use, or pinned."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import ClassVar, Self

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from tui.newest import Newest
from tui.widgets.wiki.opened import Opened
from tui.widgets.wiki.outline import TOP, Leaf
from tui.widgets.wiki.outline_groups import View
from tui.widgets.wiki.outline_list import OutlineList
from tui.widgets.wiki.pins import Pins
from tui.widgets.wiki.tree_drafts import DraftsLine
from tui.widgets.wiki.tree_filter import TreeFilter
from tui.widgets.wiki.tree_state import NEEDS_GROUPS, TreeState
from tui.widgets.wiki.tree_tabs import VIEWS, TreeTabs
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.index.groups import PageGroups, read_groups
from vault.listing import VaultListing


class WikiTree(Vertical):
    """Keeps its cursor and what is open while pages come and go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"view('{view}')", view.title(), id=f"tree-{view}", show=False)
            for number, view in enumerate(VIEWS, 1)
        ),
        Binding("slash", "filter", "Filter", id="tree-filter"),
        Binding("p", "pin", "Pin", id="tree-pin"),
        Binding("d", "screen.drafts", "Drafts", id="tree-drafts", show=False),
        Binding("escape", "leave_filter", "Show all", show=False),
    ]

    class NoteChosen(Message):
        """The user chose a note."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    def __init__(self, session: WikiSession, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._pins = Pins(session.location.data_dir, session.root)
        self._opened = Opened(session.location.data_dir, session.root)
        # Read and written in threads: unless one at a time, what another adds is lost.
        self._keeping = asyncio.Lock()
        self._state = TreeState()
        self._tabs = TreeTabs(id="tree-tabs")
        self._filter = TreeFilter(id="tree-filter")
        self._list = OutlineList(id="tree-list")
        self._groups = Newest(self._ask_groups)
        self._places: dict[View, tuple[str, str]] = {}

    def compose(self) -> ComposeResult:
        """Groupings, what is typed, lines."""
        yield self._tabs
        yield DraftsLine(id="tree-drafts")
        yield self._filter
        yield self._list

    def on_mount(self) -> None:
        """Nothing is typed yet."""
        self._filter.display = False
        self._read_kept()

    def focus(self, scroll_visible: bool = True) -> Self:
        """Let the keys move through the lines."""
        self._list.focus(scroll_visible)
        return self

    @property
    def cursor_path(self) -> str:
        """The page under the cursor, or the key of the group; empty where there is none."""
        row = self._list.row
        return "" if row is None else row.key[1] or row.key[0]

    @property
    def view(self) -> View:
        """How the pages are grouped."""
        return self._state.view

    def show_listing(self, listing: VaultListing) -> None:
        """The pages as they are now."""
        self._state.listing = listing
        self._draw()
        self._renew_groups()

    def show_uncommitted(self, paths: Iterable[str]) -> None:
        """Mark the pages that are in no commit yet."""
        self._state.uncommitted = frozenset(paths)
        self._list.restyle(self._state.look)

    def show_drafts(self, count: int) -> None:
        """So many texts were not saved by windows that are gone."""
        self.query_one(DraftsLine).show(count)

    def reveal(self, path: str) -> None:
        """Follow the open article: mark it and put the cursor on it."""
        self._state.opened = path
        self._go_to(path)
        self._note_opened(path)

    async def follow_renames(self, path_after: Callable[[str], str]) -> None:
        """Pages have other paths now: pins go with them. Raises VaultError."""
        try:
            async with self._keeping:
                await asyncio.to_thread(self._opened.follow, path_after)
                await asyncio.to_thread(self._pins.follow, path_after)
        finally:
            self._read_kept()

    def reveal_folder(self, path: str) -> None:
        """Show a folder, named with its slash, and put the keys on it."""
        self._state.view = View.FOLDERS
        self._state.open_way_to(path)
        self._draw((path, ""))
        self.focus()

    def action_view(self, view: str) -> None:
        """Group the pages in another way."""
        here = self._list.row
        if here is not None:
            self._places[self._state.view] = here.key
        self._state.view = View(view)
        self._draw(self._places.get(self._state.view, TOP))
        if isinstance(here, Leaf) and self._state.view is View.FOLDERS:
            self._go_to(here.note.path)
        self._renew_groups()

    def action_filter(self) -> None:
        """Narrow the tree to what is typed."""
        self._filter.display = True
        self._filter.focus()

    def action_leave_filter(self) -> None:
        """Show everything again."""
        self._filter.display = False
        self._filter.value = ""
        self._list.focus()

    async def action_pin(self) -> None:
        """Pin the page under the cursor, or unpin it."""
        row = self._list.row
        if isinstance(row, Leaf):
            try:
                async with self._keeping:
                    toggle = self._pins.toggle
                    self._state.pinned = await asyncio.to_thread(toggle, row.note.path)
            except VaultError as error:
                self.notify(str(error), severity="warning", markup=False)
            self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc is somebody else's while nothing is typed."""
        return self._filter.display if action == "leave_filter" else True

    @on(TreeTabs.Chosen)
    def choose_view(self, event: TreeTabs.Chosen) -> None:
        """A grouping was clicked."""
        event.stop()
        self.action_view(event.view)
        self._list.focus()

    @on(OutlineList.Folded)
    def fold(self, event: OutlineList.Folded) -> None:
        """Open or close a group."""
        event.stop()
        self._state.fold(event.group, event.is_open)
        self._draw()

    @on(OutlineList.Chosen)
    def choose(self, event: OutlineList.Chosen) -> None:
        """A page was chosen."""
        event.stop()
        self.post_message(self.NoteChosen(event.path))

    @on(Input.Changed)
    def narrow(self, event: Input.Changed) -> None:
        """What is typed changed."""
        event.stop()
        self._state.typed = event.value
        self._draw()
        if event.value.strip():
            self._list.go_to_first_page()

    @on(TreeFilter.Moved)
    def move(self, event: TreeFilter.Moved) -> None:
        """The cursor moves while somebody types."""
        event.stop()
        self._list.action_move(event.by)

    @on(Input.Submitted)
    def take_first(self, event: Input.Submitted) -> None:
        """Enter opens what the cursor is on."""
        event.stop()
        self._list.focus()
        self._list.action_choose()

    def _go_to(self, path: str) -> None:
        """Put the cursor on a page; in the folders it is never folded away."""
        self._state.open_way_to(path)
        self._draw()
        self._list.go_to_page(path)

    def _draw(self, key: tuple[str, str] | None = None) -> None:
        self._tabs.show(self._state.view)
        self._list.show(self._state.outline(), self._state.look, key, self._state.empty)

    def _renew_groups(self) -> None:
        if self._state.view in NEEDS_GROUPS and self._state.listing is not None:
            self._read_groups()

    @work(group="tree-groups")
    async def _read_groups(self) -> None:
        try:
            groups = await self._groups.answer(None)
        except VaultError as error:
            self._state.problem = str(error)
        else:
            if groups is None or groups == self._state.groups:
                return
            self._state.groups, self._state.problem = groups, ""
        self._draw()

    async def _ask_groups(self, _: None) -> PageGroups:
        return await self._session.ask(lambda vault: read_groups(vault.index))

    @work(group="tree-kept")
    async def _read_kept(self) -> None:
        async with self._keeping:
            self._state.pinned = await asyncio.to_thread(self._pins.read)
            self._state.opened_at = await asyncio.to_thread(self._opened.read)
        self._draw()

    @work(group="tree-kept")
    async def _note_opened(self, path: str) -> None:
        note, now = self._opened.note, time.time_ns()
        async with self._keeping:
            self._state.opened_at = await asyncio.to_thread(note, path, now)
        # Under the eyes of somebody who goes down the list it stays in its order.
