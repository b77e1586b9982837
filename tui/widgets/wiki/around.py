"""What the parts around an article tell the pane: the panel, the way above, the tree."""

from __future__ import annotations

from textual import on
from textual.containers import Vertical

from tui.screens.wiki.desk import WikiDesk
from tui.widgets.wiki.crumbs import Crumbs
from tui.widgets.wiki.editing.drafts import DraftsLeft
from tui.widgets.wiki.page import ArticlePage
from tui.widgets.wiki.panel.side import SidePanel
from tui.widgets.wiki.side_desk import SideDesk
from tui.widgets.wiki.tree import WikiTree
from vault.files import ArticleFile


class AroundArticle(Vertical):
    """Passes on what is chosen beside an article; the pane holds the desks."""

    side: SideDesk
    desk: WikiDesk

    @property
    def open_file(self) -> ArticleFile | None:
        """The article that is open."""
        return self._page.file

    @property
    def _page(self) -> ArticlePage:
        return self.query_one(ArticlePage)

    @on(ArticlePage.Shown)
    def show_around_article(self, event: ArticlePage.Shown) -> None:
        """Another article, or another version of it, is on the screen."""
        event.stop()
        self.query_one(SidePanel).show_article(event.file)

    @on(ArticlePage.Read)
    def follow_reading(self, event: ArticlePage.Read) -> None:
        """The reader came to another heading."""
        event.stop()
        self.query_one(SidePanel).follow_reading(event.anchor)

    @on(SidePanel.GoalChosen)
    async def go_to_goal(self, event: SidePanel.GoalChosen) -> None:
        """A row of the panel was chosen."""
        event.stop()
        if self.open_file is not None:
            await self.side.go(event.goal, self.open_file.path)

    @on(SidePanel.LinkAsked)
    def link_mention(self, event: SidePanel.LinkAsked) -> None:
        """A mention is to become a link."""
        event.stop()
        self.desk.link(event.mention, event.path)

    @on(SidePanel.LeaveAsked)
    def leave_panel(self) -> None:
        """Back to the article."""
        self._page.focus_text()

    @on(DraftsLeft)
    def show_drafts(self, event: DraftsLeft) -> None:
        """Texts that were not saved were looked for."""
        event.stop()
        self.query_one(WikiTree).show_drafts(event.count)

    @on(Crumbs.Chosen)
    def go_to_crumb(self, event: Crumbs.Chosen) -> None:
        """A step of the way to the article was clicked."""
        event.stop()
        if event.path.startswith("#"):
            self._page.go_to(event.path[1:], 0)
        else:
            self.query_one(WikiTree).reveal_folder(event.path)
