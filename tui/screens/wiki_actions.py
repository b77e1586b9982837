"""What the main screen does with the wiki: an action for each of its verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work

from tui.screens.arrangement import Arrangement
from tui.screens.sound_screen import SoundScreen
from tui.widgets.chat.recall_messages import PassageWanted
from tui.widgets.wiki.place import WikiPlace

if TYPE_CHECKING:
    from tui.widgets.wiki.pane import WikiPane
    from tui.widgets.wiki.panel.tabs import PanelTab


class WikiActions(SoundScreen):
    """Passes wishes on to the wiki pane, which may have to be made first."""

    _wiki: WikiPlace
    _panes: Arrangement

    async def action_edit_article(self) -> None:
        """Edit the open article, or leave the editor."""
        await (await self._shown_wiki()).edit()

    async def action_open_article(self, name: str) -> None:
        """Open an article by name."""
        await self.open_link(name, "", is_wikilink=True)

    @on(PassageWanted)
    async def show_passage(self, event: PassageWanted) -> None:
        """A passage that was recalled is to be read in its article."""
        event.stop()
        pane = await self._shown_wiki()
        await pane.ways.open(event.path, event.anchor, event.line)

    async def action_create_article(self, title: str = "") -> None:
        """Create an article and edit it."""
        (await self._shown_wiki()).pages.create(title)

    async def action_rename_article(self, title: str = "") -> None:
        """Give the open article another title."""
        (await self._shown_wiki()).pages.rename(title)

    async def action_move_article(self, folder: str = "") -> None:
        """Move the open article into a folder."""
        (await self._shown_wiki()).pages.move(folder)

    async def action_delete_article(self) -> None:
        """Delete the open article."""
        (await self._shown_wiki()).pages.delete()

    async def action_talk_page(self) -> None:
        """The talk page of the open article, or its article."""
        (await self._shown_wiki()).pages.talk()

    async def action_edit_properties(self) -> None:
        """The properties of the article, line by line."""
        (await self._shown_wiki()).writing.edit_properties()

    async def action_save_with_message(self, subject: str = "") -> None:
        """Save and commit with a message."""
        (await self._shown_wiki()).writing.save_with_message(subject)

    async def action_edit_outside(self) -> None:
        """Edit the article in the user's own editor."""
        (await self._shown_wiki()).writing.edit_outside()

    async def action_toggle_preview(self) -> None:
        """See the page beside its text."""
        (await self._shown_wiki()).editing.toggle_preview()

    async def action_conflicts(self) -> None:
        """Copies that conflicts left."""
        (await self._shown_wiki()).kept.show_conflicts()

    async def action_drafts(self) -> None:
        """Texts that were not saved."""
        (await self._shown_wiki()).kept.show_drafts()

    async def action_wiki_links(self) -> None:
        """Choose a link of the open article."""
        await (await self._wiki.pane()).links.choose()

    async def action_wiki_back(self) -> None:
        """The article before."""
        await (await self._wiki.pane()).ways.back()

    async def action_wiki_forward(self) -> None:
        """The article after."""
        await (await self._wiki.pane()).ways.forward()

    async def action_visited(self) -> None:
        """Choose one of the articles that were open."""
        (await self._shown_wiki()).desk.choose_visited()

    async def action_toggle_panel(self) -> None:
        """Show or hide what stands around the article."""
        (await self._shown_wiki()).side.toggle()

    async def action_show_panel(self, tab: PanelTab) -> None:
        """Show one of the tabs beside the article."""
        (await self._shown_wiki()).side.open_tab(tab)

    async def action_today(self) -> None:
        """Open the page of the day."""
        (await self._shown_wiki()).desk.open_today()

    async def action_lint_wiki(self) -> None:
        """What is wrong with the wiki, and what would mend it."""
        (await self._shown_wiki()).desk.check()

    async def action_rename_tag(self, tag: str = "") -> None:
        """Give a tag another name on every page."""
        (await self._wiki.pane()).desk.rename_tag(tag)

    async def action_undo_in_wiki(self) -> None:
        """Take back what was changed last on many pages."""
        (await self._wiki.pane()).desk.undo()

    async def action_open_outside(self) -> None:
        """Open the article in Obsidian, or its folder in the file manager."""
        (await self._wiki.pane()).desk.open_outside()

    async def action_switch_wiki(self, folder: str = "") -> None:
        """Open another wiki in this window."""
        await self._wiki.pane()
        self._wiki.switch(folder)

    async def action_page_history(self) -> None:
        """What the open article was, who changed it, and the ways back."""
        from tui.screens.history.screen import HistoryScreen

        pane = await self._shown_wiki()
        if pane.open_file is None:
            self.notify("Open an article first.", severity="warning", markup=False)
        else:
            self.app.push_screen(HistoryScreen(pane.session, pane.open_file.path))

    async def action_review_edits(self) -> None:
        """What was proposed for the wiki, to decide on."""
        from tui.screens.review.screen import ReviewScreen

        pane = await self._wiki.pane()
        self.app.push_screen(ReviewScreen(pane.session))

    @work(exclusive=True, group="finding")
    async def action_jump_article(self, name: str = "") -> None:
        """Jump to an article by some letters of its name."""
        finding = (await self._wiki.pane()).finding
        await finding.jump(self.app, name)

    @work(exclusive=True, group="finding")
    async def action_search_wiki(self, words: str = "") -> None:
        """Search in the text of all articles."""
        finding = (await self._wiki.pane()).finding
        await finding.search(self.app, words)

    async def open_link(self, target: str, from_path: str, is_wikilink: bool) -> None:
        """Open what a link leads to."""
        await (await self._shown_wiki()).links.follow(target, from_path, is_wikilink)

    async def _shown_wiki(self) -> WikiPane:
        self._panes.show_wiki()
        return await self._wiki.pane()
