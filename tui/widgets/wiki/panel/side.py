"""The panel beside the open article, or below it: five lists, one of them shown."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from tui.newest import Newest
from tui.widgets.wiki.panel.graph import MOST_DEPTH
from tui.widgets.wiki.panel.load import Asked, fill
from tui.widgets.wiki.panel.row_list import RowList
from tui.widgets.wiki.panel.rows import Filled, Goal, Recentre, said
from tui.widgets.wiki.panel.tabs import TABS, PanelTab, PanelTabs
from tui.wiki_session import WikiSession
from vault.errors import VaultError
from vault.files import ArticleFile
from vault.graph.mentions import Mention


class SidePanel(Vertical):
    """Asks only for the tab that is seen; an answer that comes too late is dropped."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Previous tab", show=False),
        Binding("right", "step(1)", "Next tab", show=False),
        Binding("t", "tab('contents')", "Contents", id="panel-contents", show=False),
        Binding("b", "tab('backlinks')", "Backlinks", id="panel-backlinks", show=False),
        Binding("o", "tab('links')", "Links of this page", id="panel-links", show=False),
        Binding("m", "tab('mentions')", "Mentions", id="panel-mentions", show=False),
        Binding("g", "tab('graph')", "Graph", id="panel-graph", show=False),
        Binding("d", "deepen", "Deeper or shallower", id="panel-deepen"),
        Binding("l", "link", "Link it", id="panel-link"),
        Binding("u", "screen.undo_in_wiki", "Undo", id="panel-undo"),
        Binding("escape,backspace", "leave", "Article", id="panel-leave"),
    ]

    class GoalChosen(Message):
        """A row was chosen."""

        def __init__(self, goal: Goal) -> None:
            super().__init__()
            self.goal = goal

    class LinkAsked(Message):
        """A mention is to become a link to the page `path`."""

        def __init__(self, mention: Mention, path: str) -> None:
            super().__init__()
            self.mention = mention
            self.path = path

    class LeaveAsked(Message):
        """Back to the article."""

    def __init__(self, session: WikiSession, id: str | None = None) -> None:
        super().__init__(id=id)
        self._newest: Newest[Asked, Filled] = Newest(
            lambda asked: session.ask(lambda vault: fill(vault, asked))
        )
        self._tabs = PanelTabs(id="panel-tabs")
        self._list = RowList(id="panel-list")
        self._tab: PanelTab = "contents"
        self._file: ArticleFile | None = None
        self._here = self._centre = ""
        self._depth = 1
        self._is_stale = True
        self._is_shown = False

    def compose(self) -> ComposeResult:
        """The names of the tabs above, the list below."""
        yield self._tabs
        yield self._list

    def on_mount(self) -> None:
        """Light up the first tab."""
        self._tabs.show(self._tab, None)

    def on_show(self) -> None:
        """What changed while the panel was out of sight is looked at now."""
        self._is_shown = True
        if self._is_stale:
            self._renew(is_new=True)

    def on_hide(self) -> None:
        """Nothing is asked for while nobody sees it."""
        self._is_shown = False

    @property
    def tab(self) -> PanelTab:
        """The tab that is shown."""
        return self._tab

    def show_article(self, file: ArticleFile) -> None:
        """Another article is open, or the same one changed."""
        is_new = self._file is None or file.path != self._file.path
        self._file = file
        if is_new:
            self._here = self._centre = ""
        self._renew(is_new=is_new)

    def renew(self) -> None:
        """Something in the wiki changed."""
        self._renew(is_new=False)

    def follow_reading(self, anchor: str) -> None:
        """The heading that is read is another one."""
        if anchor != self._here:
            self._here = anchor
            if self._tab == "contents":
                self._renew(is_new=not self.has_focus_within)

    def show_tab(self, tab: PanelTab) -> None:
        """Show another tab."""
        self._tab = tab
        self._tabs.show(tab, None)
        self.refresh_bindings()
        self._renew(is_new=True)

    def focus_list(self) -> None:
        """Let the keys walk through the rows."""
        self._list.focus()

    def action_tab(self, tab: PanelTab) -> None:
        """Show a tab by its key."""
        self.show_tab(tab)

    def action_step(self, by: int) -> None:
        """Show the tab beside."""
        self.show_tab(TABS[(TABS.index(self._tab) + by) % len(TABS)])

    def action_deepen(self) -> None:
        """Show the neighbours of neighbours too, or not."""
        self._depth = self._depth % MOST_DEPTH + 1
        self._renew(is_new=True)

    def action_link(self) -> None:
        """Make a link of the mention under the cursor."""
        row = self._list.row
        if row is not None and row.mention is not None and self._file is not None:
            self.post_message(self.LinkAsked(row.mention, self._file.path))

    def action_leave(self) -> None:
        """Back to the article."""
        self.post_message(self.LeaveAsked())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of one tab are there on that tab only."""
        needed = {"deepen": "graph", "link": "mentions"}.get(action)
        return needed is None or needed == self._tab

    @on(PanelTabs.Chosen)
    def choose_tab(self, event: PanelTabs.Chosen) -> None:
        """A tab was clicked."""
        event.stop()
        self.show_tab(event.tab)

    @on(RowList.Chosen)
    def choose(self, event: RowList.Chosen) -> None:
        """Enter or click on a row; in the graph the first look is from there."""
        event.stop()
        match event.row.goal:
            case None:
                return
            case Recentre(path=path):
                self._centre = path
                self._renew(is_new=True)
            case goal:
                self.post_message(self.GoalChosen(goal))

    def _renew(self, *, is_new: bool) -> None:
        self._is_stale = not self._is_shown
        if self._file is not None and not self._is_stale:
            asked = Asked(self._tab, self._file, self._here, self._centre, self._depth)
            self.run_worker(self._ask(asked, is_new), group="panel")

    async def _ask(self, asked: Asked, is_new: bool) -> None:
        try:
            filled = await self._newest.answer(asked)
        except VaultError as error:
            filled = said(str(error))
        # The wiki may have been closed meanwhile.
        if filled is not None and asked.tab == self._tab and self._list.is_attached:
            self._tabs.show(asked.tab, filled.count)
            self._list.show(filled, is_new=is_new)
