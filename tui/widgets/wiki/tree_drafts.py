"""The line above the tree that says that there is text which was not saved."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class DraftsLine(Static):
    """There while texts of windows that are gone are kept; a click lists them, as d does."""

    DEFAULT_CSS = """
    DraftsLine { height: 1; color: $text-warning; display: none; }
    DraftsLine:hover { background: $block-hover-background; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)

    def show(self, count: int) -> None:
        """So many texts are kept."""
        self.display = count > 0
        texts = "1 unsaved text" if count == 1 else f"{count:,} unsaved texts"
        self.update(Content(f" ✎ {texts} · d lists"))

    async def on_click(self) -> None:
        """List them."""
        await self.run_action("screen.drafts")
