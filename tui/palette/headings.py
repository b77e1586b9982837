"""The headings of the open article, for the palette."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.command import Hit, Hits, Provider

from tui.palette.display import HEADINGS_LAST, palette_line
from tui.text.line import to_line
from tui.widgets.wiki.pane import WikiPane
from vault.article.headings import Heading
from vault.article.page import parse_article
from vault.search.jump import jump, jump_name

MOST_HEADINGS = 20


class HeadingsProvider(Provider):
    """Headings by some of their letters."""

    async def startup(self) -> None:
        """Read the article once."""
        self._found: list[tuple[WikiPane, str, Heading]] = []
        for pane in self.screen.query(WikiPane):
            file = pane.open_file
            if file is not None and file.text:
                article = await asyncio.to_thread(parse_article, file.text)
                self._found += [(pane, file.path, heading) for heading in article.headings]

    async def search(self, query: str) -> Hits:
        """The best headings."""
        names = tuple(
            jump_name(str(index), heading.title, heading.title)
            for index, (_, _, heading) in enumerate(self._found)
        )
        for found in jump(names, query, MOST_HEADINGS):
            pane, path, heading = self._found[int(found.path)]
            yield Hit(
                found.score + HEADINGS_LAST,
                palette_line("heading", found.name, found.highlights, "in this article"),
                partial(pane.finding.show, path, heading.anchor),
                text=to_line(found.name),
            )
