"""Pages as lines of plain text, and an app that shows one page."""

from __future__ import annotations

import hashlib
from pathlib import Path

from textual.app import App, ComposeResult

from tui.document.blocks import Block
from tui.document.document import read_document
from tui.document.layout.lay import lay
from tui.document.lines import Line
from tui.document.page import FoundPage, FoundPicture, Library, LinkStatus
from tui.document.sideways import part_in_sight
from tui.themes.load import builtin_themes_dir, load_themes
from tui.themes.variables import theme_variable_defaults
from tui.widgets.wiki.article import ArticleView
from vault.files import ArticleFile


class Shelf:
    """A library of pages by name; `ambiguous` names lead to several."""

    def __init__(self, pages: dict[str, str], ambiguous: frozenset[str] = frozenset()) -> None:
        self._pages = pages
        self._ambiguous = ambiguous

    def status(self, target: str, from_path: str, is_wikilink: bool) -> LinkStatus:
        """By name."""
        del from_path, is_wikilink
        name = target.partition("#")[0]
        if name in self._ambiguous:
            return LinkStatus.AMBIGUOUS
        return LinkStatus.KNOWN if name in self._pages else LinkStatus.WANTED

    def page(self, target: str, from_path: str) -> FoundPage | None:
        """The page of that name."""
        del from_path
        name = target.partition("#")[0]
        text = self._pages.get(name)
        return None if text is None else FoundPage(f"{name}.md", text)

    def picture(self, target: str, from_path: str) -> FoundPicture:
        """What a test expects."""
        del target, from_path
        return FoundPicture("PNG 4 × 3")

    def picture_content(self, path: str) -> bytes:
        """None is drawn."""
        raise FileNotFoundError(path)


def plain_lines(text: str, width: int, library: Library | None = None) -> list[str]:
    """What a page looks like, spaces at the ends of lines and the first blank line left out."""
    document = read_document(text, "Page.md", library)
    lines = [line.text.rstrip() for block in document.blocks for line in lay(block, width).lines]
    return lines[1:] if lines and not lines[0] else lines


def seen_lines(block: Block, width: int) -> list[Line]:
    """The lines of a block as they are seen before anybody moves a table."""
    laid = lay(block, width)
    if laid.wide is None:
        return list(laid.lines)
    return [part_in_sight(line, laid.wide, 0) for line in laid.lines]


def article_file(text: str, path: str = "Page.md") -> ArticleFile:
    """An article that was never on a disk."""
    content = text.encode("utf-8", "replace")
    return ArticleFile(path, content, text, hashlib.sha256(content).hexdigest(), path)


class PageApp(App[None]):
    """Shows one page and nothing else."""

    CSS = "#article { height: 1fr; width: 1fr; }"

    def __init__(self, text: str, theme: str = "zibaldone-dark") -> None:
        super().__init__()
        self._text = text
        self._theme = theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables."""
        return theme_variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        """The page."""
        yield ArticleView(id="article")

    async def on_mount(self) -> None:
        """Show it."""
        for theme in load_themes([builtin_themes_dir()]).themes.values():
            self.register_theme(theme)
        self.theme = self._theme
        await self.view.show(article_file(self._text), lambda target: target != "Nowhere")
        self.view.focus()

    @property
    def view(self) -> ArticleView:
        """The view under test."""
        return self.query_one(ArticleView)


def corpus_pages(corpora: Path, name: str) -> list[Path]:
    """The pages of one corpus in order."""
    return sorted((corpora / name).rglob("*.md"))
