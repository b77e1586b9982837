"""Shows one article."""

from __future__ import annotations

import re

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.markdown.parser import IsKnown
from tui.markdown.widget import SafeMarkdown
from tui.text.content import literal
from tui.text.sanitise import to_display
from vault.files import ArticleFile

# Textual needs seconds for more; such a text is shown as it is.
MOST_DRAWN_CHARACTERS = 120_000
MOST_COSTLY_LINES = 250
MOST_PARAGRAPHS = 1200
_COSTLY_LINE = re.compile(r"^[ \t]*(?:[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|)", re.MULTILINE)
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE
)


class ArticleView(VerticalScroll):
    """The rendered text of an article, or the reason why there is none."""

    can_focus = True

    def compose(self) -> ComposeResult:
        """Markdown, and a plain text for what Markdown cannot draw in time."""
        yield Static(Content("Choose an article on the left."), id="article-plain")
        yield SafeMarkdown("", id="article-text")

    async def show(self, file: ArticleFile, is_known: IsKnown) -> None:
        """Draw the article as it is in `file`, from its first line."""
        is_same = file.path == self.query_one(SafeMarkdown).article_path
        place = self.scroll_offset
        if file.text is None or is_costly(file.text):
            await self._show_plain(file)
        else:
            await self._show_markdown(file.path, file.text, is_known)
        self.scroll_to(y=place.y if is_same else 0, animate=False)

    def show_message(self, text: str) -> None:
        """Say why there is no article."""
        self._plain.update(literal(text))
        self._plain.display, self.query_one(SafeMarkdown).display = True, False

    async def _show_markdown(self, path: str, text: str, is_known: IsKnown) -> None:
        markdown = self.query_one(SafeMarkdown)
        markdown.is_known = is_known
        markdown.article_path = path
        await markdown.update(to_display(_FRONT_MATTER.sub("", text, count=1)))
        self._plain.display, markdown.display = False, True

    async def _show_plain(self, file: ArticleFile) -> None:
        if file.text is None:
            self.show_message(f"This file cannot be shown: {file.read_only_reason}.")
            return
        shown = file.text[:MOST_DRAWN_CHARACTERS]
        rest = len(file.text) - len(shown)
        note = f"\n\n… {rest:,} more characters; F4 opens the whole text." if rest else ""
        self.show_message(f"(too long to be drawn: shown as it is written)\n\n{shown}{note}")

    @property
    def _plain(self) -> Static:
        return self.query_one("#article-plain", Static)


def is_costly(text: str) -> bool:
    """Whether Markdown would hold up the keyboard: every list item, heading and row is a widget."""
    return (
        len(text) > MOST_DRAWN_CHARACTERS
        or len(_COSTLY_LINE.findall(text)) > MOST_COSTLY_LINES
        or text.count("\n\n") > MOST_PARAGRAPHS
    )
