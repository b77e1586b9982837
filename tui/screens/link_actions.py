"""What the main screen does with a link: into the wiki, into a chat, or nowhere by itself."""

from __future__ import annotations

from textual import on, work

from tui.markdown.address import chat_citation
from tui.messages import LinkFollowed
from tui.screens.citations import CitationDesk
from tui.screens.links import article_link, offer_address
from tui.screens.wiki_actions import WikiActions
from tui.widgets.chat.pane import ChatPane


class LinkActions(WikiActions):
    """`_citations` knows the ways into chats and back; it is made when one is followed."""

    _citations: CitationDesk | None = None

    @on(LinkFollowed)
    async def follow_link(self, event: LinkFollowed) -> None:
        """Wiki links and citations open here; addresses do nothing until the user says so."""
        event.stop()
        citation = chat_citation(event.href)
        link = article_link(event.href)
        if citation:
            self._follow_citation(citation)
        elif link is None:
            self._offer_address(event.href)
        else:
            await self.open_link(link.target, event.from_path, link.is_wikilink)

    async def action_wiki_back(self) -> None:
        """From a cited message to where it was cited; else the article before."""
        chat = self.query_one(ChatPane)
        if self._citations is not None and self._citations.is_away and chat.has_focus_within:
            self._leave_citation()
        else:
            await super().action_wiki_back()

    @work(exclusive=True, group="citation")
    async def _follow_citation(self, citation: str) -> None:
        # Its parts are not needed for the first frame.
        assistant = self.query_one(ChatPane).assistant
        self._citations = self._citations or CitationDesk(self, assistant, self._panes)
        await self._citations.follow(citation)

    @work(exclusive=True, group="citation")
    async def _leave_citation(self) -> None:
        if self._citations is not None:
            await self._citations.back()

    @work(exclusive=True, group="address")
    async def _offer_address(self, address: str) -> None:
        await offer_address(self.app, address)
