"""Shows and hides the panel around the article, and does what its rows say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import assert_never

from textual.widget import Widget

from tui.messages import LinkFollowed
from tui.widgets.wiki.links import LinkDesk
from tui.widgets.wiki.panel.rows import (
    FollowLink,
    Goal,
    GoToHeading,
    OfferAddress,
    OpenPage,
    Recentre,
)
from tui.widgets.wiki.panel.side import SidePanel
from tui.widgets.wiki.panel.tabs import PanelTab
from tui.widgets.wiki.window_memory import WindowMemory

LEAST_COLUMNS_BESIDE = 116
LEAST_ROWS = 16
OpenAt = Callable[[str, str, int], Awaitable[object]]
"""Opens a page by its path, at an anchor or at a line."""


class SideDesk:
    """`pane` gets style classes: where the panel is, and whether it is seen."""

    def __init__(
        self, pane: Widget, memory: WindowMemory, links: LinkDesk, open_at: OpenAt
    ) -> None:
        self._pane = pane
        self._memory = memory
        self._links = links
        self._open_at = open_at
        self._is_beside = False
        kept = memory.read()
        self._is_seen = {True: kept.is_panel_beside, False: kept.is_panel_below}

    @property
    def is_seen(self) -> bool:
        """Whether the panel is shown where it would be now."""
        return self._is_seen[self._is_beside]

    def arrange(self, columns: int, rows: int) -> None:
        """The pane has this room now."""
        self._is_beside = columns >= LEAST_COLUMNS_BESIDE
        self._pane.set_class(self._is_beside, "-beside")
        self._pane.set_class(rows < LEAST_ROWS, "-short")
        self._apply()

    def toggle(self) -> None:
        """Show it, with the keys in it, or hide it."""
        if self.is_seen:
            self._see(is_seen=False)
        else:
            self.open_tab(self._panel.tab)

    def open_tab(self, tab: PanelTab) -> None:
        """Show one tab and put the keys into it."""
        self._see(is_seen=True)
        self._panel.show_tab(tab)
        self._pane.call_after_refresh(self._panel.focus_list)

    async def go(self, goal: Goal, from_path: str) -> None:
        """Do what a row says."""
        match goal:
            case OpenPage(path=path, line=line, anchor=anchor):
                await self._open_at(path, anchor, line)
            case GoToHeading(anchor=anchor):
                await self._open_at(from_path, anchor, 0)
            case FollowLink(target=target, is_wikilink=is_wikilink):
                await self._links.follow(target, from_path, is_wikilink)
            case OfferAddress(address=address):
                self._pane.post_message(LinkFollowed(address, from_path))
            case Recentre():
                return
            case _:
                assert_never(goal)

    def _see(self, *, is_seen: bool) -> None:
        if is_seen == self.is_seen:
            return
        self._is_seen[self._is_beside] = is_seen
        self._memory.keep_panel(is_beside=self._is_seen[True], is_below=self._is_seen[False])
        self._apply()

    def _apply(self) -> None:
        self._pane.set_class(self.is_seen, "-panel")

    @property
    def _panel(self) -> SidePanel:
        return self._pane.query_one(SidePanel)
