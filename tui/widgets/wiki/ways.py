"""The ways from page to page: opening one at a place, and back and forward among those seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from tui.widgets.wiki.page import ArticlePage
from tui.widgets.wiki.trail import Trail, Visit


class Ways:
    """`shown` hears which page is open after each step."""

    def __init__(
        self, find_page: Callable[[], ArticlePage], shown: Callable[[str], Awaitable[object]]
    ) -> None:
        self._find_page = find_page
        self._shown = shown
        self._trail = Trail()

    @property
    def visited(self) -> Sequence[str]:
        """The articles that were open, each once, the latest first."""
        return self._trail.visited

    async def open(self, path: str, anchor: str = "", line: int = 0) -> bool:
        """Open a page at a heading, or at a line of its text; whether that could be."""
        page = self._find_page()
        self._trail.leave_at(page.place)
        if not (page.is_showing(path) or await page.show(path)):
            return False
        self._trail.visit(path)
        await self._shown(path)
        if anchor or line:
            page.go_to(anchor, line)
        return True

    async def back(self) -> None:
        """The article before this one, where it was left."""
        self._trail.leave_at(self._find_page().place)
        await self._go(self._trail.back, self._trail.forward)

    async def forward(self) -> None:
        """The article after this one, where it was left."""
        self._trail.leave_at(self._find_page().place)
        await self._go(self._trail.forward, self._trail.back)

    async def _go(
        self, step: Callable[[], Visit | None], step_back: Callable[[], Visit | None]
    ) -> None:
        visit = step()
        if visit is None:
            return
        page = self._find_page()
        if not await page.show(visit.path):
            step_back()
            return
        await self._shown(visit.path)
        page.go_to_place(visit.place)
