"""The Markdown widget used everywhere: safe to feed with anything, opens nothing by itself."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownBlock

from tui.markdown.list_parts import BulletListPart, OrderedListPart
from tui.markdown.parser import IsKnown, make_parser
from tui.messages import LinkFollowed


class SafeMarkdown(Markdown):
    """Draws sanitised Markdown. `is_known` tells which wikilinks lead to an existing page."""

    BLOCKS: ClassVar[dict[str, type[MarkdownBlock]]] = {  # type: ignore[misc]  # not an instance's
        **Markdown.BLOCKS,
        "bullet_list_open": BulletListPart,
        "ordered_list_open": OrderedListPart,
    }

    def __init__(
        self,
        markdown: str | None = None,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        self.is_known: IsKnown | None = None
        self.article_path = ""
        super().__init__(
            markdown,
            id=id,
            classes=classes,
            parser_factory=lambda: make_parser(self.is_known),
            open_links=False,
        )

    @on(Markdown.LinkClicked)
    def follow(self, event: Markdown.LinkClicked) -> None:
        """Say which link was chosen; the screen decides."""
        event.stop()
        self.post_message(LinkFollowed(event.href, self.article_path))
