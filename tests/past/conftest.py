"""A window that holds one screen over a real wiki, in the program's own look."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.app import App
from textual.screen import Screen

import tui
from tui.app import ZibApp
from tui.themes import DARK, builtin_themes_dir, load_themes, theme_variable_defaults
from tui.wiki_session import WikiSession
from vault.root import WikiLocation

OpenSession = Callable[[], Awaitable[WikiSession]]


class Host(App[None]):
    """Shows the screen it is given."""

    CSS_PATH = Path(tui.__file__).parent / "app.tcss"
    HORIZONTAL_BREAKPOINTS = ZibApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = ZibApp.VERTICAL_BREAKPOINTS

    def __init__(self, shown: Screen[None], theme: str = DARK) -> None:
        super().__init__()
        self._shown = shown
        for each in load_themes([builtin_themes_dir()]).themes.values():
            self.register_theme(each)
        self.theme = theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """As the program has them."""
        return theme_variable_defaults(self.current_theme)

    def on_mount(self) -> None:
        """Show it."""
        self.animation_level = "none"
        self.push_screen(self._shown)


@pytest.fixture
def open_session(tmp_path: Path) -> OpenSession:
    """Opens a new wiki."""
    location = WikiLocation(tmp_path / "wiki", tmp_path / "consents", tmp_path / "data")

    async def opened() -> WikiSession:
        session = WikiSession(location)
        await session.open()
        await asyncio.sleep(0)
        return session

    return opened
