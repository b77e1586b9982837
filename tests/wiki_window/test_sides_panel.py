"""What stands around an article, by keys, over a real wiki with real git."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import screen_text
from tests.wiki_window.sides_app import SidesApp, hardened, location, made_wiki, wait_until
from tui.widgets.document.reader import DocumentReader
from tui.widgets.wiki.panel.row_list import RowList
from tui.widgets.wiki.panel.side import SidePanel

WIDE, SMALL = (130, 36), (40, 10)
FILLER = "\n\n".join(f"Paragraph {number} of it." for number in range(40))
PAGES = {
    "Lens": f"# Lens\n\n[[Trip]] and [[Tripod]], https://a.example/x\n\n## Use\n\n{FILLER}\n\n"
    f"## Care\n\n{FILLER}\n",
    "Trip": "# Trip\n\nWith the [[Lens]] and once more the [[Lens|old lens]].\n\n[[Bag]]\n",
    "Bag": "# Bag\n\nIt holds the lens too.\n",
}
Wait = Callable[[Callable[[], object], str], Any]


@pytest.fixture
def app(tmp_path: Path) -> SidesApp:
    made_wiki(tmp_path, PAGES)
    return SidesApp(location(tmp_path))


def subject(folder: Path) -> str:
    """The newest commit's."""
    command = ["git", "-C", str(folder / "wiki"), "log", "-1", "--format=%s"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def panel(app: SidesApp) -> str:
    """The panel's lines as they are on the screen."""
    region = app.pane.query_one(SidePanel).region
    strips = app.screen._compositor.render_strips()[region.y : region.bottom]
    return "\n".join(strip.text[region.x : region.right].rstrip() for strip in strips)


async def opened(pilot: Pilot[None], app: SidesApp, page: str) -> None:
    """Open a page, with the keys in its text."""
    await wait_until(pilot, lambda: "Welcome" in screen_text(pilot), "the wiki")
    await app.pane._open_at(f"articles/{page}.md", "", 0)
    await wait_until(pilot, lambda: f"articles/{page}.md" in screen_text(pilot), "the page")


async def test_the_tabs_of_an_article_by_their_keys(app: SidesApp, tmp_path: Path) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, app, "Lens")
        await pilot.press("o")
        await wait_until(pilot, lambda: "Not written yet 1" in panel(app), "outgoing links")
        assert "Trip" in panel(app)
        assert "https://a.example/x" in panel(app)
        await pilot.press("b")
        await wait_until(pilot, lambda: "Backlinks 2" in panel(app), "backlinks")
        assert "With the [[Lens]] and once more" in panel(app)
        await pilot.press("t")
        await wait_until(pilot, lambda: "Contents 3" in panel(app), "the headings")
        await pilot.press("end", "enter")
        await wait_until(pilot, lambda: "▸   Care" in panel(app), "the place that is read")
        await wait_until(pilot, lambda: "Lens › Care" in screen_text(pilot), "it in the way")
        await pilot.press("m")
        await wait_until(pilot, lambda: "Mentions 1" in panel(app), "mentions")
        await pilot.press("l")
        await wait_until(pilot, lambda: subject(tmp_path) == "Link Lens in Bag", "the commit")
        assert "the [[lens]] too" in (tmp_path / "wiki/articles/Bag.md").read_text()
        await wait_until(pilot, lambda: "Nobody mentions" in panel(app), "no more mentions")
        await pilot.press("u")
        await wait_until(pilot, lambda: "Take back “Link Lens in Bag”?" in screen_text(pilot), "it")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Mentions 1" in panel(app), "the mention again")
        assert (tmp_path / "wiki/articles/Bag.md").read_text() == PAGES["Bag"]


@hardened
async def test_the_graph_is_walked_and_opened(app: SidesApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "Lens")
        await pilot.press("g")
        await wait_until(pilot, lambda: "● Lens\n" in panel(app), "the page in the middle")
        assert "╰─⇄ Trip" in panel(app)
        await pilot.press("d")
        await wait_until(pilot, lambda: "╰▸ Bag" in panel(app), "the neighbour's neighbour")
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: "● Trip" in panel(app), "another page in the middle")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "articles/Trip.md" in screen_text(pilot), "it opened")


async def test_back_and_forward_find_the_place_again(app: SidesApp) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "Lens")
        await app.pane._open_at("articles/Lens.md", "care", 0)
        await wait_until(pilot, lambda: "Lens › Care" in screen_text(pilot), "the section")
        await app.pane._open_at("articles/Trip.md", "", 0)
        await wait_until(pilot, lambda: "With the Lens" in screen_text(pilot), "the other page")
        await pilot.press("backspace")
        await wait_until(pilot, lambda: "Lens › Care" in screen_text(pilot), "the section again")
        await app.screen.run_action("wiki_forward")
        await wait_until(pilot, lambda: "With the Lens" in screen_text(pilot), "forward again")
        await app.screen.run_action("visited")
        await wait_until(pilot, lambda: "Visited, the latest" in screen_text(pilot), "the list")
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: "articles/Lens.md" in screen_text(pilot), "the page")


@hardened
async def test_a_change_on_disk_is_seen_around_the_article(app: SidesApp, tmp_path: Path) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "Bag")
        await pilot.press("b")
        await wait_until(pilot, lambda: "Backlinks 1" in panel(app), "a backlink")
        (tmp_path / "wiki/articles/New.md").write_text("# New\n\nSee the [[Bag]].\n")
        await wait_until(pilot, lambda: "Backlinks 2" in panel(app), "the new one")


async def test_the_panel_stays_hidden_and_small_windows_have_one(
    app: SidesApp, tmp_path: Path
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app, "Lens")
        assert app.pane.query_one(SidePanel).display
        await pilot.press("f9")
        await pilot.pause()
        assert not app.pane.query_one(SidePanel).display
    again = SidesApp(location(tmp_path))
    async with again.run_test(size=WIDE) as pilot:
        await opened(pilot, again, "Lens")
        assert not again.pane.query_one(SidePanel).display
        await pilot.resize_terminal(*SMALL)
        await pilot.press("b")
        await wait_until(pilot, lambda: "Backlinks 2" in panel(again), "backlinks in 40 × 10")
        assert isinstance(again.focused, RowList)
        assert again.focused.size.height >= 2
        await pilot.press("escape")
        reader = again.pane.query_one(DocumentReader)
        await wait_until(pilot, lambda: reader.has_focus and reader.size.height >= 3, "the text")
