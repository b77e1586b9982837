"""F1 begins with the keys of the pane that has the focus, and lists no key that does nothing."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from tests.tui.conftest import screen_text
from tests.wiki_window.sides_app import SidesApp, location, made_wiki, wait_until
from tui.screens.help import HelpScreen


async def test_each_pane_has_its_own_keys_first(tmp_path: Path) -> None:
    made_wiki(tmp_path, {})
    app = SidesApp(location(tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:

        async def help_text() -> str:
            await pilot.press("f1")
            await wait_until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
            text = str(app.screen.query_one("#help-text", Static).content)
            await pilot.press("escape")
            await wait_until(pilot, lambda: not isinstance(app.screen, HelpScreen), "the window")
            return text

        await wait_until(pilot, lambda: "articles/Welcome.md" in screen_text(pilot), "the wiki")
        app.pane.query_one("#tree").focus()
        await pilot.pause()
        tree = await help_text()
        assert tree.startswith("Tree of pages\n")
        assert "Pin" in tree.partition("Everywhere")[0]
        await app.pane._open_at("articles/Zibaldone.md", "", 0)
        article = await help_text()
        assert article.startswith("Article\n")
        assert "Backlinks" in article.partition("Everywhere")[0]
        await pilot.press("g")
        await wait_until(pilot, lambda: "● Zibaldone" in screen_text(pilot), "the graph")
        graph = await help_text()
        assert graph.startswith("Around the article\n")
        assert "Deeper or shallower" in graph
        assert "Link it" not in graph, "that key is there for mentions only"
        assert "/rename-tag [TAG NEW]" in graph
        await pilot.press("m")
        assert "Link it" in await help_text()
