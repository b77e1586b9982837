"""A tour of every surface of a wiki full of hostile names and texts; run on a pseudo-terminal.

`python hostile_wiki.py FOLDER [whole]` makes the wiki, shows one surface after the other without
the gate that stands before the terminal, and ends; `FOLDER/surfaces.json` has what each said.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from tests.text.hostile_app import CONTROL, MARKUP
from tests.wiki_window.sides_app import SidesApp, location, made_wiki
from tui.text.filter import TerminalGate, install_gate
from tui.widgets.wiki.outline_groups import View
from tui.widgets.wiki.page import ArticlePage
from tui.widgets.wiki.panel.tabs import TABS
from tui.widgets.wiki.tree import WikiTree

PAUSE_SECONDS = 0.25
MOST_PAUSES = 60
TEXTS = [*CONTROL, *MARKUP]
# What can stand in a file's name; the escapes come first in it, so that no list cuts them off.
NAME = "\x1b]52;c;aGk=\x07[red]x[-red]"
ACTIONS = (
    "jump_article",
    "search_wiki('hostile')",
    "lint_wiki",
    "rename_tag",
    "visited",
    "switch_wiki",
    "open_outside",
    "wiki_links",
    "rename_article",
    "move_article",
    "delete_article",
    "edit_properties",
    "page_history",
    "review_edits",
    "conflicts",
    "drafts",
    "help",
    "edit_article",
)


def tour_of(is_whole: bool) -> tuple[str, ...]:
    """The actions of a tour: all, or those that show most of the wiki."""
    return ACTIONS if is_whole else (*ACTIONS[:3], ACTIONS[-1])


def hostile_pages() -> dict[str, str]:
    """Pages whose names, headings, links, tags, properties and words are hostile."""
    # A file with a NUL in it is no text.
    clean = [text.encode("utf-8", "replace").decode().replace("\0", "") for text in TEXTS]
    lines = "\n\n".join(f"hostile {text} here" for text in clean)
    listed = "\n".join(f"- [[{text.replace(']', '')}]] `{text}`" for text in clean)
    title = NAME.replace("\x07", "")
    page = (
        f"---\ntitle: '{title}'\ntags: [glass, 'a{title}']\n---\n# {title}\n\n#glass\n\n{lines}\n\n"
        f"## {NAME}\n\n{listed}\n\n[[Other#{title}]] [[Other]] https://x/{title} [^{title}]\n\n"
        "```\n\x1b[2J\n```\n\n| \x1b[31m | b |\n|---|---|\n| \x9b2J | \u202ex |\n"
    )
    other = f"# Other\n\n{NAME} hostile, see [[{NAME}]] and [[{NAME}|{title}]].\n\n## Twin[^1]\n"
    return {NAME: page, "Other": other, f"\u202e{NAME}/in": f"hostile {NAME}\n\n[[Other]]\n"}


class Tour(SidesApp):
    """Shows everything, then ends by itself."""

    def __init__(self, folder: Path, *, is_whole: bool) -> None:
        super().__init__(location(folder))
        self._folder = folder
        self._is_whole = is_whole
        self._said: dict[str, str] = {}
        self._filters = [each for each in self._filters if not isinstance(each, TerminalGate)]

    def on_mount(self) -> None:
        self.run_worker(self._walk())

    def _handle_exception(self, error: Exception) -> None:
        self._folder.joinpath("crash").write_text(repr(error))
        super()._handle_exception(error)

    async def _walk(self) -> None:
        path = f"articles/{NAME}.md"
        while not (self.screen.query(ArticlePage) and self.pane.open_file):
            await asyncio.sleep(PAUSE_SECONDS)
        await self.pane._open_at("articles/Other.md", "", 0)
        await self.pane._open_at(path, "", 0)
        await self._keep("article")
        for view in View:
            self.pane.query_one(WikiTree).action_view(view)
            await self._keep(f"tree by {view}")
        for tab in TABS:
            self.pane.side.open_tab(tab)
            await self._keep(tab)
        for action in tour_of(self._is_whole):
            if action == "edit_article":
                # The editor holds the text as it is; only the gate stands before it.
                install_gate(self)
            await self.screen_stack[0].run_action(action)
            await self._keep(action)
            while len(self.screen_stack) > 1:
                self.pop_screen()
        self._folder.joinpath("surfaces.json").write_text(json.dumps(self._said))
        self.exit()

    async def _keep(self, surface: str) -> None:
        self._said[surface] = await self._until_quiet()

    async def _until_quiet(self) -> str:
        """Wait until nothing on the screen changes any more; what it says then."""
        before = ""
        for _ in range(MOST_PAUSES):
            await asyncio.sleep(PAUSE_SECONDS)
            strips = self.screen._compositor.render_strips()
            now = "\n".join(strip.text for strip in strips)
            if now == before and now.strip():
                break
            before = now
        return before


if __name__ == "__main__":
    made_wiki(Path(sys.argv[1]), hostile_pages())
    os.environ["HOME"] = sys.argv[1]
    Tour(Path(sys.argv[1]), is_whole=sys.argv[2:] == ["whole"]).run()
