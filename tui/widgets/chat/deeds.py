"""What the user does with a chosen message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from tui.assistant.exchange import exchange
from tui.assistant.memory_tools.steps import question_of, steps_of
from tui.assistant.requests import Regenerate, Resume
from tui.markdown.address import wiki_address
from tui.messages import LinkFollowed
from tui.screens.clipboard import copy_text
from tui.screens.pick import PickScreen
from tui.widgets.chat.answer import AnswerView
from tui.widgets.chat.code_blocks import code_blocks
from tui.widgets.chat.message_keys import RESUMABLE
from tui.widgets.chat.message_view import BranchLine, MessageView
from tui.widgets.chat.question import Question
from tui.widgets.chat.seam import SeamView
from tui.widgets.chat.selection import Selection
from vault.conversations.errors import ConversationError
from vault.conversations.values import MessageNode

if TYPE_CHECKING:
    from tui.assistant.stored_chat import StoredChat
    from tui.widgets.chat.pane import ChatPane

_OF_TURNS = frozenset({"edit", "regenerate", "resume"})
_OF_SCREEN = {"save": "remember", "correct": "correct_article"}
_OF_VIEWS = frozenset({"thinking", "look_ups", "recalled"})
_AT_ANY_TIME = frozenset({"copy", "copy_code", "quote", "articles", *_OF_VIEWS, *_OF_SCREEN})


class MessageDeeds:
    """Call from a worker: some ask something first."""

    def __init__(self, pane: ChatPane, selection: Selection) -> None:
        self._pane = pane
        self._selection = selection
        self._deleted: list[tuple[str, tuple[str, ...]]] = []
        self._deeds: dict[str, Callable[[StoredChat, MessageNode], Awaitable[None]]] = {
            "edit": self._edit,
            "regenerate": self._regenerate,
            "resume": self._resume,
            "fork": self._fork,
            "delete": self._delete,
            "version_before": self._version_before,
            "version_after": self._version_after,
        }

    async def do(self, name: str) -> None:
        """Do it, or say why that cannot be."""
        if name not in _AT_ANY_TIME and self._pane.is_answering:
            self._say("An answer is being written; Esc stops it.")
            return
        view, chat = self._selection.view, self._pane.current_chat
        if name == "undo":
            await self._undo(chat)
        elif name in _OF_SCREEN:
            await self._pane.screen.run_action(_OF_SCREEN[name])
        elif name == "articles":
            await self._choose_article(view)
        elif view is None:
            self._say("No message is chosen: Alt+Up chooses the last.")
        elif name == "copy":
            copy_text(self._pane.app, view.text)
        elif name == "copy_code":
            await self._copy_code(view.text)
        elif name == "quote":
            self._quote(view.text)
        elif name in _OF_VIEWS:
            _unfold(view, name)
        elif isinstance(view, SeamView) and name in _OF_TURNS:
            self._say("This is a summary: t shows it, d has the whole chat read again.")
        elif chat is not None and view.node is not None:
            try:
                await self._deeds[name](chat, view.node)
            except ConversationError as error:
                self._say(str(error))

    async def _copy_code(self, text: str) -> None:
        blocks = code_blocks(text)
        if not blocks:
            self._say("There is no block of code in this message.")
            return
        chosen: int | None = 0
        if len(blocks) > 1:
            lines = [f"{block.count(chr(10))} lines · {block.strip()[:60]}" for block in blocks]
            chosen = await self._pane.app.push_screen_wait(PickScreen("Which code?", lines))
        if chosen is not None:
            copy_text(self._pane.app, blocks[chosen])

    async def _edit(self, chat: StoredChat, node: MessageNode) -> None:
        question = node if node.role == "user" else chat.tree.get(question_of(chat.tree, node.id))
        if question is not None:
            self._pane.revise(question)

    async def _regenerate(self, chat: StoredChat, node: MessageNode) -> None:
        question = node.id if node.role == "user" else question_of(chat.tree, node.id)
        if question:
            self._pane.request(Regenerate(question))

    async def _resume(self, chat: StoredChat, node: MessageNode) -> None:
        steps = steps_of(chat.tree, node.id)
        has_begun = bool(node.text or node.thinking or (steps and steps.calls))
        if node.role == "user" or not has_begun:
            await self._regenerate(chat, node)
        elif node.state in RESUMABLE:
            self._pane.request(Resume(node.id))
        else:
            self._say("This answer came to its end; R has the question answered once more.")

    async def _fork(self, chat: StoredChat, node: MessageNode) -> None:
        await self._pane.go_on_with(await chat.fork(node.id))
        self._say("A new chat, with the messages up to there. The other one stays as it was.")

    async def _delete(self, chat: StoredChat, node: MessageNode) -> None:
        steps = steps_of(chat.tree, node.id) if node.role == "assistant" else None
        if node.role == "user":
            ids = exchange(chat.tree, node.id)
        else:
            ids = steps.ids if steps else (node.id,)
        # Known before it is done, should nobody wait for the end of it.
        self._deleted.append((chat.id, ids))
        try:
            await chat.delete_each(ids)
        except ConversationError:
            self._deleted.remove((chat.id, ids))
            raise
        await self._pane.show_branch("")
        await self._pane.forget_read()
        self._say(
            "Question and answer deleted. U has them back."
            if len(ids) > 1 and not steps
            else "Deleted. U has it back."
        )

    async def _undo(self, chat: StoredChat | None) -> None:
        mine = [each for each in self._deleted if chat is not None and each[0] == chat.id]
        if not mine or chat is None:
            self._say("Nothing was deleted here.")
            return
        self._deleted.remove(mine[-1])
        try:
            await chat.restore(mine[-1][1])
            await chat.select(mine[-1][1][0])
        except ConversationError as error:
            self._say(str(error))
        await self._pane.show_branch(mine[-1][1][0])

    async def _version_before(self, chat: StoredChat, node: MessageNode) -> None:
        await self.step(chat, node, -1)

    async def _version_after(self, chat: StoredChat, node: MessageNode) -> None:
        await self.step(chat, node, +1)

    async def step_line(self, line: BranchLine, step: int) -> None:
        """The same for the message with this line."""
        chat, view = self._pane.current_chat, line.parent
        if self._pane.is_answering or chat is None or not isinstance(view, MessageView):
            return
        if view.node is not None:
            try:
                await self.step(chat, view.node, step)
            except ConversationError as error:
                self._say(str(error))

    async def step(self, chat: StoredChat, node: MessageNode, step: int) -> None:
        """Show the version of a message so many further on."""
        steps = steps_of(chat.tree, node.id) if node.role == "assistant" else None
        branch = chat.tree.branch(steps.steps[0].id if steps else node.id)
        place = branch.number - 1 + step
        if 0 <= place < len(branch.ids):
            await chat.select(branch.ids[place])
            await self._pane.show_branch(branch.ids[place])

    async def _choose_article(self, view: MessageView | None) -> None:
        from tui.widgets.chat.named_articles import articles_in

        shown = view if view is not None else self._selection.last
        found = articles_in(shown) if shown is not None else ()
        if not found:
            self._say("No article was looked at or named here.")
            return
        chosen: int | None = 0
        if len(found) > 1:
            screen = PickScreen("Open which article?", [each.title for each in found])
            chosen = await self._pane.app.push_screen_wait(screen)
        if chosen is not None:
            self._pane.post_message(LinkFollowed(wiki_address(found[chosen].path)))

    def _quote(self, text: str) -> None:
        text = self._pane.screen.get_selected_text() or text
        quoted = "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))
        before = self._pane.prompt.text
        self._pane.prompt.set_text(f"{before}\n{quoted}\n\n" if before else f"{quoted}\n\n")
        self._pane.prompt.focus()

    def _say(self, sentence: str) -> None:
        self._pane.notify(sentence, markup=False)


def _unfold(view: MessageView, name: str) -> None:
    if name == "recalled":
        if isinstance(view, Question | AnswerView):
            view.recalled.unfold()
    elif isinstance(view, SeamView):
        view.toggle()
    elif isinstance(view, AnswerView):
        if name == "look_ups":
            view.look_ups.toggle()
        else:
            view.toggle_thinking(not view.thinking.is_expanded)
