"""The wiki of the window without chat and gauge: the same panes, actions, keys and style sheet."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Footer

import tui
from tests.tui.conftest import screen_text
from tui.app import Severity, ZibApp
from tui.messages import LinkFollowed, WikiOpened
from tui.screens.help import HelpScreen
from tui.screens.help_rows import help_sections
from tui.screens.links import article_link
from tui.screens.wiki_actions import WikiActions
from tui.status_wording import wiki_lines
from tui.text.content import literal
from tui.text.filter import install_gate
from tui.themes import builtin_themes_dir, load_themes, theme_variable_defaults
from tui.verbs import BINDINGS
from tui.widgets.status_bar import StatusBar
from tui.widgets.wiki.pane import WikiPane
from tui.widgets.wiki.place import WikiPlace
from vault.root import WikiLocation
from vault.vault import Vault, open_vault

_BETWEEN_LOOKS = 0.12
hardened = pytest.mark.skipif(
    os.environ.get("ZIB_HARDEN") != "1", reason="one more way through the window: make harden"
)


class SidesScreen(WikiActions):
    """Only the wiki, over the whole window."""

    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(self, location: WikiLocation) -> None:
        super().__init__()
        self._wiki = WikiPlace(location, id="wiki")
        self.add_class("-wiki-full")

    def compose(self) -> ComposeResult:
        yield StatusBar(id="status")
        yield self._wiki
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.call_after_refresh(self._wiki.pane)

    @on(WikiOpened)
    def show_facts(self, event: WikiOpened) -> None:
        self.query_one(StatusBar).show(left=wiki_lines(event.facts))

    @on(LinkFollowed)
    async def follow_link(self, event: LinkFollowed) -> None:
        link = article_link(event.href)
        if link is not None:
            await self.open_link(link.target, event.from_path, link.is_wikilink)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(help_sections(self)))

    def action_toggle_wiki(self) -> None:
        self.toggle_class("-wiki-full")

    async def _shown_wiki(self) -> WikiPane:
        return await self._wiki.pane()


class SidesApp(App[None]):
    """Hosts the screen with the program's themes and breakpoints."""

    CSS_PATH = Path(tui.__file__).with_name("app.tcss")
    HORIZONTAL_BREAKPOINTS = ZibApp.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = ZibApp.VERTICAL_BREAKPOINTS

    def __init__(self, location: WikiLocation, theme: str = "zibaldone-dark") -> None:
        super().__init__()
        install_gate(self)
        for each in load_themes([builtin_themes_dir()]).themes.values():
            self.register_theme(each)
        self.theme = theme
        self.animation_level = "none"
        self._location = location

    def get_default_screen(self) -> Screen[None]:
        return SidesScreen(self._location)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme_variable_defaults(self.current_theme)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Severity = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        shown = literal(message).plain
        super().notify(shown, title=title, severity=severity, timeout=timeout, markup=False)

    @property
    def pane(self) -> WikiPane:
        return self.screen_stack[0].query_one(WikiPane)


async def wait_until(
    pilot: Pilot[Any], is_true: Callable[[], object], what: str, seconds: float = 30.0
) -> None:
    """Wait for a fact on the screen, looking seldom: each look draws the whole screen."""
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        await pilot.pause()
        if is_true():
            return
        await asyncio.sleep(_BETWEEN_LOOKS)
    pytest.fail(f"never came true: {what}\n{screen_text(pilot)}")


def location(folder: Path, root: Path | None = None) -> WikiLocation:
    """Where a wiki and what is remembered of it are, below `folder`."""
    return WikiLocation(root or folder / "wiki", folder / "consents", folder / "data")


def made_wiki(folder: Path, pages: Mapping[str, str]) -> Vault:
    """A wiki of ours with these pages besides those it comes with, all in one commit."""
    vault = open_vault(folder / "wiki", data_dir=folder / "data")
    for name, text in pages.items():
        file = vault.root / "articles" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    vault.recover()
    vault.close()
    return vault
