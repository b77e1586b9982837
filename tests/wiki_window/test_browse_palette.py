"""One palette reaches commands, articles and headings; no name is read as markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.conftest import MakeApp, screen_text, wait_until
from tests.wiki_window.browse_wikis import FORBIDDEN, HOSTILE
from tui.palette.display import command_line, palette_line
from tui.screens.help import HelpScreen
from tui.screens.wiki.switcher import Switcher


@pytest.mark.parametrize("name", HOSTILE)
def test_a_line_of_the_palette_shows_names_as_they_are(name: str) -> None:
    for line in (
        palette_line("page", name, ((0, 3),), name),
        command_line(name, ((0, 3),), name, name),
    ):
        assert not any(sign in line.plain for sign in FORBIDDEN)
        assert ("[red]markup[/]" in line.plain) == (name == "[red]markup[/]")


async def test_commands_articles_and_headings_are_found(make_app: MakeApp, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Open.md").write_text("# Open\n\n## Zebra [red]crossing[\\]\n\nText.\n")
    (folder / "zebra [red].md").write_text("# Stripes\n\nMore.\n")
    app = make_app(wiki=folder)
    async with app.run_test(size=(110, 36)) as pilot:
        await pilot.press(*"/open Open", "enter")
        await wait_until(pilot, lambda: "Open.md · read-only" in screen_text(pilot), "the page")
        await pilot.press("ctrl+p")
        await wait_until(pilot, lambda: "Show keys and commands" in screen_text(pilot), "commands")
        assert "f6      Jump" in screen_text(pilot)
        await pilot.press(*"zebra")
        await wait_until(pilot, lambda: "page    zebra [red]" in screen_text(pilot), "the page")
        assert "heading Zebra [red]crossing" in screen_text(pilot)
        await pilot.press("enter")
        await wait_until(pilot, lambda: "zebra [red].md · read" in screen_text(pilot), "the page")
        await pilot.press("ctrl+p", *"keys and")
        await wait_until(pilot, lambda: "f1      Help" in screen_text(pilot), "help")
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        await wait_until(pilot, lambda: "Next section" in screen_text(pilot), "its text")
        await pilot.press("escape", "ctrl+p", *"jump", "enter")
        await wait_until(pilot, lambda: isinstance(app.screen, Switcher), "the switcher")
