"""The pages of the wiki, for the palette."""

from __future__ import annotations

from functools import partial

from textual.command import Hit, Hits, Provider

from tui.palette.display import palette_line
from tui.screens.wiki.switcher_rows import other_title
from tui.text.line import to_line
from tui.widgets.wiki.pane import WikiPane
from vault.errors import VaultError
from vault.names import displayable

MOST_PAGES = 20


class ArticlesProvider(Provider):
    """Pages by some letters of any of their names."""

    async def search(self, query: str) -> Hits:
        """The best pages; none while the wiki is not open."""
        for pane in self.screen.query(WikiPane):
            try:
                found = await pane.finding.named(query, MOST_PAGES)
            except VaultError:
                return
            for page in found:
                folder = displayable(page.path).rpartition("/")[0]
                other = other_title(page)
                note = f"→ {other}  {folder}" if other else folder
                yield Hit(
                    page.score,
                    palette_line("page", page.name, page.highlights, note),
                    partial(pane.finding.show, page.path),
                    text=to_line(page.name),
                )
