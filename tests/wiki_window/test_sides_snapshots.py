"""Pictures of the whole wiki with its panel, and of the lint screen, at four widths."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Footer

from tests.tui.conftest import screen_text
from tests.wiki_window.sides_app import SidesApp, hardened, location, made_wiki, wait_until
from tui.widgets.wiki.panel.tabs import PanelTab

SnapCompare = Callable[..., bool]
DAYS_AGO = 3.5 * 86_400
PAGES = {
    "Photo/Lens": "# Lens\n\nThe **50 mm** for the [[Trip]], on a [[Tripod]]; see [[Bag#Lenses]] "
    "and https://a.example/lens.\n\n## Use\n\n- it is light\n- it needs [[Film]]\n\n## Care\n\n"
    "Keep it dry, in the [[Bag]].[^1]\n\n[^1]: By hand.\n[^2]: Left.\n",
    "Trip": "# Trip\n\nWith the [[Lens]] and once more the [[Lens|old lens]].\n\n[[Bag]]\n",
    "Bag": "# Bag\n\nIt holds the lens and the [[Film]].\n",
    "Film": "# Film\n\nFor the [[Lens]].\n",
}
WIKI = [
    pytest.param((40, 24), "zibaldone-dark", "contents", id="contents", marks=hardened),
    pytest.param((80, 24), "zibaldone-light", "backlinks", id="backlinks"),
    pytest.param((120, 40), "zibaldone-dark", "graph", id="graph"),
    pytest.param((200, 50), "zibaldone-light", "links", id="links", marks=hardened),
]
LINT = [
    pytest.param((40, 16), "zibaldone-light", id="narrow"),
    pytest.param((120, 24), "zibaldone-dark", id="wide", marks=hardened),
]


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wiki whose pages are three days old, in the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    vault = made_wiki(tmp_path, PAGES)
    then = time.time() - DAYS_AGO
    for path in vault.root.rglob("*.md"):
        os.utime(path, (then, then))
    return tmp_path


@pytest.mark.parametrize(("size", "theme", "tab"), WIKI)
def test_the_whole_wiki(
    wiki: Path, snap_compare: SnapCompare, size: tuple[int, int], theme: str, tab: PanelTab
) -> None:
    app = SidesApp(location(wiki), theme)

    async def open_page(pilot: Pilot[None]) -> None:
        await wait_until(pilot, lambda: app.screen.query("#crumbs"), "the pane")
        await wait_until(pilot, lambda: app.pane.open_file, "the first page")
        # Its keys are those of the whole program, which has pictures of its own.
        app.screen.query_one(Footer).display = False
        await app.pane._open_at("articles/Photo/Lens.md", "", 0)
        app.pane.side.open_tab(tab)
        filled = re.compile(rf"{tab.title()} [1-9]")
        await wait_until(pilot, lambda: filled.search(screen_text(pilot)), "the panel")
        await pilot.pause(0.5)

    assert snap_compare(app, terminal_size=size, run_before=open_page)


@pytest.mark.parametrize(("size", "theme"), LINT)
def test_the_lint_screen(
    wiki: Path, snap_compare: SnapCompare, size: tuple[int, int], theme: str
) -> None:
    app = SidesApp(location(wiki), theme)

    async def check(pilot: Pilot[None]) -> None:
        await wait_until(pilot, lambda: app.screen.query("#crumbs"), "the pane")
        await wait_until(pilot, lambda: app.pane.open_file, "the first page")
        await app.screen.run_action("lint_wiki")
        await wait_until(pilot, lambda: "findings on" in screen_text(pilot), "the findings")
        await pilot.pause(0.3)

    assert snap_compare(app, terminal_size=size, run_before=check)
