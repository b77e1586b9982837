"""The lint screen: found, opened, mended one by one or all of a kind, and taken back."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.tui.conftest import screen_text
from tests.wiki_window.sides_app import SidesApp, location, made_wiki, wait_until
from tui.screens.wiki.lint import LintScreen
from tui.screens.wiki.preview import PreviewScreen

SIZE = (110, 40)
PAGES = {
    "Lens": "# Lens\n\nSee [[Trip#The way hom]] and [[Welcome]].\n\nWords.[^1]\n\n[^1]: Used.\n"
    "[^2]: Unused.\n",
    "Trip": "# Trip\n\nBack to [[Lens]].[^a]\n\n## The way home\n\n[^a]: Used.\n[^b]: Unused.\n",
}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder / "wiki"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


async def test_findings_are_opened_mended_and_taken_back(tmp_path: Path) -> None:
    made_wiki(tmp_path, PAGES)
    app = SidesApp(location(tmp_path))
    lens, trip = (tmp_path / "wiki/articles" / f"{name}.md" for name in PAGES)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "Welcome" in screen_text(pilot), "the wiki")
        before = git(tmp_path, "rev-list", "--count", "HEAD")
        await app.screen.run_action("lint_wiki")
        await wait_until(pilot, lambda: "Dead anchors 1" in screen_text(pilot), "the findings")
        assert "Footnotes 2 · 2 fixable" in screen_text(pilot)
        assert "→ write #The way home" in screen_text(pilot)
        screen = app.screen
        assert isinstance(screen, LintScreen)
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "has no “The way hom”" in line)
        screen._list.cursor = row - screen._list.region.y
        await pilot.press("x")
        await wait_until(pilot, lambda: isinstance(app.screen, PreviewScreen), "the difference")
        await wait_until(pilot, lambda: "+ See [[Trip#The way home" in screen_text(pilot), "it")
        await pilot.press("escape")
        assert lens.read_text() == PAGES["Lens"], "nothing is done before it is agreed to"
        await wait_until(pilot, lambda: "Dead anchors 1" in screen_text(pilot), "the list again")
        screen._list.cursor = row - screen._list.region.y
        await pilot.press("x")
        await wait_until(pilot, lambda: isinstance(app.screen, PreviewScreen), "the difference")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Trip#The way home]]" in lens.read_text(), "the fix")
        await wait_until(pilot, lambda: "Dead anchors" not in screen_text(pilot), "one less")
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "Footnotes 2" in line)
        screen._list.cursor = row - screen._list.region.y + 1
        await pilot.press("f")
        await wait_until(
            pilot, lambda: "Mend 2 findings of “Foot" in screen_text(pilot), "a question"
        )
        await pilot.press("enter")
        await wait_until(pilot, lambda: "Footnotes" not in screen_text(pilot), "all of them gone")
        assert "Unused" not in lens.read_text() + trip.read_text()
        after = git(tmp_path, "rev-list", "--count", "HEAD")
        assert int(after) == int(before) + 2, "one commit for one finding, one for all of a kind"
        assert git(tmp_path, "log", "-1", "--format=%s") == "Mend 2 findings on 2 pages"
        await pilot.press("u")
        await wait_until(pilot, lambda: "Footnotes 2" in screen_text(pilot), "them taken back")
        assert trip.read_text() == PAGES["Trip"]
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "“^b”" in line or "[^b]" in line)
        screen._list.cursor = row - screen._list.region.y
        await pilot.press("enter")
        await wait_until(pilot, lambda: "articles/Trip.md" in screen_text(pilot), "its page")
