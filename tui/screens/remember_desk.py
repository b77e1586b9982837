"""From the chat to the wiki: what is said becomes a proposal, which the review screen decides."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Literal

from textual.screen import Screen

from tui.assistant.assistant import Assistant
from tui.widgets.chat.pane import ChatPane
from tui.widgets.wiki.place import WikiPlace
from vault.conversations.errors import ConversationError

if TYPE_CHECKING:
    from tui.assistant.remember.material import Origin
    from tui.assistant.remember.remember import Remember
    from tui.widgets.chat.message_view import MessageView
    from vault.review.proposal import Proposal

Severity = Literal["information", "warning"]


class RememberDesk:
    """Runs everything in workers; what it needs is imported then."""

    def __init__(self, screen: Screen[None], assistant: Assistant, wiki: WikiPlace) -> None:
        self._screen = screen
        self._assistant = assistant
        self._wiki = wiki
        # What waits for a page is read, added to and kept again.
        self._proposing = asyncio.Lock()

    def remember(self, text: str, pane: ChatPane) -> None:
        """Propose a text; without one what is selected, the chosen message or the last answer."""
        self._run(self._remember(text.strip(), pane))

    def save_chat(self, pane: ChatPane) -> None:
        """Propose what the user stated in this chat."""
        self._run(self._save_chat(pane))

    def correct(self, pane: ChatPane) -> None:
        """Propose another wording of a passage of an article that the answer is about."""
        self._run(self._correct(pane))

    async def _remember(self, text: str, pane: ChatPane) -> None:
        from dataclasses import replace

        from tui.assistant.remember.material import answer, statement
        from tui.widgets.chat.answer import AnswerView

        view = self._meant(pane)
        selected = "" if text else (self._screen.get_selected_text() or "").strip()
        if text:
            typed = replace(self._origin(view), is_said=False)
            material = replace(statement(text, typed), reason="You asked to remember it")
        elif selected:
            material = statement(selected, self._origin(view))
        elif view is None or view.node is None:
            self._say("Say what: /remember TEXT. Or choose a message: Alt+Up, then s.", "warning")
            return
        elif isinstance(view, AnswerView):
            question = self._question_of(view)
            material = answer(view.text, question, self._origin(view))
        else:
            material = statement(view.text, self._origin(view))
        self._say("Looking where it belongs …")
        async with self._proposing:
            self._tell(await self._maker.propose(material))

    async def _save_chat(self, pane: ChatPane) -> None:
        from tui.assistant.remember.whole_chat import gathered, statements_of

        chat = pane.current_chat
        if chat is None or not chat.path:
            self._say("There is nothing in this chat yet.", "warning")
            return
        self._say("Looking for what you stated …")
        # Another chat may be open when the model has answered.
        is_temporary = self._assistant.is_temporary
        kept = await statements_of(self._assistant.engine, chat.path)
        material = gathered(kept, chat.chat.name, is_temporary)
        async with self._proposing:
            self._tell(await self._maker.propose_page(material, chat.chat.name))

    async def _correct(self, pane: ChatPane) -> None:
        from dataclasses import replace

        from tui.assistant.remember.passages import passage_with, passages_of
        from tui.screens.pick import PickScreen
        from tui.screens.review.text_edit import TextEditScreen
        from tui.text.line import to_line

        selected = (self._screen.get_selected_text() or "").strip()
        view = self._meant(pane)
        # What is typed for the article, the message does not say.
        typed = replace(self._origin(view), is_said=False)
        path = await self._article(view)
        if not path:
            return
        file = await self._wiki.ask(lambda vault: vault.read(path))
        if file.text is None or file.read_only_reason is not None:
            reason = file.read_only_reason or "it is not text"
            self._say(f"{to_line(path)} cannot be changed: {reason}.", "warning")
            return
        old = passage_with(file.text, selected)
        if not old:
            hint = view.text if view is not None else ""
            passages = passages_of(file.text, selected or hint)
            if not passages:
                self._say("There is no paragraph in it; F4 edits the article.", "warning")
                return
            title = f"Which passage of {to_line(path, 40)}?"
            chosen = await self._screen.app.push_screen_wait(PickScreen(title, passages))
            if chosen is None:
                return
            old = passages[chosen]
        title = f"{path}: write it as it should be, Ctrl+S proposes it"
        new = await self._screen.app.push_screen_wait(TextEditScreen(title, old))
        if new is not None:
            async with self._proposing:
                self._tell(await self._maker.correct(path, old, new, typed))

    async def _article(self, view: MessageView | None) -> str:
        """The path of the article that is meant; the open one where the answer names none."""
        from tui.screens.pick import PickScreen
        from tui.widgets.chat.named_articles import articles_in
        from vault.links.resolve import Found

        pane = await self._wiki.pane()
        named = articles_in(view) if view is not None else ()
        resolved = [(each, pane.session.resolve(each.path, "")) for each in named]
        found = [(each.title, to.path) for each, to in resolved if isinstance(to, Found)]
        if pane.open_file is not None and pane.open_file.path not in {path for _, path in found}:
            found.append((pane.open_file.path, pane.open_file.path))
        if not found:
            self._say("Open the article first, or choose an answer that names it.", "warning")
            return ""
        if len(found) == 1:
            return found[0][1]
        screen = PickScreen("Correct which article?", [title for title, _ in found])
        chosen = await self._screen.app.push_screen_wait(screen)
        return found[chosen][1] if chosen is not None else ""

    def _meant(self, pane: ChatPane) -> MessageView | None:
        selection = pane.parts.selection
        return selection.view if selection.view is not None else selection.last

    def _question_of(self, view: MessageView) -> str:
        from tui.assistant.memory_tools.steps import question_of

        chat = self._assistant.chat
        node = chat.tree.get(question_of(chat.tree, view.message_id)) if chat else None
        return node.text if node is not None else ""

    def _origin(self, view: MessageView | None) -> Origin:
        from datetime import datetime

        from tui.assistant.remember.material import Origin, origin_of

        if view is None or view.node is None:
            return Origin("", f"{datetime.now().astimezone():%Y-%m-%d}")
        return origin_of(view.node, self._assistant.is_temporary)

    @property
    def _maker(self) -> Remember:
        from tui.assistant.remember.remember import Remember

        return Remember(self._wiki, self._assistant.engine, self._wiki.location.data_dir)

    def _tell(self, proposal: Proposal) -> None:
        from tui.text.line import to_line

        name = to_line(proposal.path.rpartition("/")[2].removesuffix(".md"), 40)
        new = "a new article " if proposal.is_new_page else ""
        self._say(
            f"Proposed for {new}“{name}”; nothing is written yet. {self._review_key} shows it."
        )

    @property
    def _review_key(self) -> str:
        for active in self._screen.active_bindings.values():
            if active.binding.id == "review-edits":
                return active.binding.key.title()
        return "/review"

    def _run(self, deed: Coroutine[Any, Any, None]) -> None:
        self._screen.run_worker(self._told(deed), group="remember")

    async def _told(self, deed: Coroutine[Any, Any, None]) -> None:
        from tui.assistant.remember.material import NothingToRemember
        from vault.errors import VaultError

        try:
            await deed
        except (NothingToRemember, VaultError, ConversationError) as error:
            self._say(str(error), "warning")

    def _say(self, text: str, severity: Severity = "information") -> None:
        self._screen.notify(text, severity=severity, markup=False)
