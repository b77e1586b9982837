"""A window with the wiki alone, over a real vault with real git, and without an engine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.pilot import Pilot
from textual.screen import Screen

from tests.tui.conftest import notices, screen_text, wait_until
from tests.wiki_window.browse_wikis import Host
from tui.screens.arrangement import Arrangement
from tui.screens.wiki_actions import WikiActions
from tui.verbs import BINDINGS
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.editing.place import EditingPlace
from tui.widgets.wiki.pane import WikiPane
from tui.widgets.wiki.place import WikiPlace
from vault.root import WikiLocation

SIZE = (100, 30)
# Each window costs more than a second; a few stand for all outside of `make harden`.
hardened = pytest.mark.skipif(os.environ.get("ZIB_HARDEN") != "1", reason="only in make harden")


class _Panes(Arrangement):
    def __init__(self) -> None:
        """Nothing to arrange: the wiki is all there is."""

    def show_wiki(self) -> None:
        """It is seen."""


class EditingScreen(WikiActions):
    """The wiki and its verbs."""

    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(self, location: WikiLocation) -> None:
        super().__init__()
        self._wiki = WikiPlace(location, id="wiki")
        self._panes = _Panes()

    def compose(self) -> ComposeResult:
        """Only the wiki."""
        yield self._wiki

    def on_mount(self) -> None:
        """As it is when it has the window for itself."""
        self.add_class("-wiki-full")
        self.run_worker(self._wiki.pane())


class EditingHost(Host):
    """The window."""

    def __init__(self, folder: Path, wiki: Path, theme: str = "zibaldone-dark") -> None:
        super().__init__(theme=theme)
        self.location = WikiLocation(wiki, folder / "consents", folder / "data")

    def get_default_screen(self) -> Screen[Any]:
        """The screen that is left in the end."""
        return EditingScreen(self.location)


@dataclass(frozen=True)
class Window:
    """A running window; `wiki` is its folder."""

    pilot: Pilot[None]
    wiki: Path

    @property
    def pane(self) -> WikiPane:
        return self.pilot.app.screen_stack[0].query_one(WikiPane)

    @property
    def editing(self) -> EditingPlace:
        return self.pane.editing

    @property
    def editor(self) -> ArticleEditor:
        return self.editing.editor

    @property
    def text(self) -> str:
        """What is on the screen."""
        return screen_text(self.pilot)

    async def see(self, words: str) -> None:
        await wait_until(self.pilot, lambda: words in self.text, f"“{words}” on the screen")

    async def hear(self, words: str) -> None:
        await wait_until(self.pilot, lambda: words in notices(self.pilot), f"“{words}” told")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def run(self, action: str) -> None:
        """Run one of the screen's actions, as a slash command or the palette would."""
        await self.pilot.app.run_action(action, self.pilot.app.screen_stack[0])
        await self.pilot.pause()

    async def open(self, path: str) -> None:
        """Show a page."""
        await self.pane.ways.open(path)
        await self.pilot.pause()

    async def edit(self, path: str) -> None:
        """Open the editor on a page."""
        await self.open(path)
        await self.press("f4")
        await wait_until(self.pilot, lambda: self.editing.is_open, "the editor")

    async def until(self, is_true: Any, what: str) -> None:
        await wait_until(self.pilot, is_true, what)

    def page(self, path: str) -> Path:
        """A file of the wiki."""
        return self.wiki / path


@asynccontextmanager
async def window(
    folder: Path, pages: dict[str, str] | None = None, size: tuple[int, int] = SIZE
) -> AsyncIterator[Window]:
    """A window on a wiki of zib's own with these pages more."""
    wiki = folder / "wiki"
    app = EditingHost(folder, wiki)
    async with app.run_test(size=size, notifications=True) as pilot:
        here = Window(pilot, wiki)
        await wait_until(pilot, lambda: pilot.app.screen.query(WikiPane), "the pane")
        await wait_until(pilot, lambda: here.pane.open_file, "the first page")
        # With nothing else on the screen nothing else asks for a layout.
        pilot.app.screen.refresh(layout=True)
        for path, text in (pages or {}).items():
            file = wiki / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        if pages:
            await here.pane.session.ask(lambda vault: vault.recover())
            await here.pane.refresh_listing()
        yield here


def git(wiki: Path, *arguments: str) -> str:
    """What git says."""
    done = subprocess.run(
        ["git", "-C", str(wiki), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    EditingHost(Path(sys.argv[1]), Path(sys.argv[1]) / "wiki").run()
