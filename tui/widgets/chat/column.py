"""Keeps the messages on the screen in step with the chat; only the end of a long one is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tui.assistant.memory_tools.steps import AnswerSteps, grouped
from tui.assistant.seam import is_seam
from tui.text.content import literal_line
from tui.widgets.chat.answer import Answer, AnswerView, KeptAnswer
from tui.widgets.chat.message_view import MessageView
from tui.widgets.chat.question import Question
from tui.widgets.chat.seam import SeamView
from tui.widgets.chat.transcript import Transcript
from vault.conversations.tree import ChatTree
from vault.conversations.values import MessageNode

Shown = MessageNode | AnswerSteps
MOUNTED_AT_FIRST = 40
MOUNTED_MORE = 20
MOST_MOUNTED = 80


class Column:
    """The views of a transcript, in order. Only the event loop may use it."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._earlier: Static | None = None
        self._path: tuple[Shown, ...] = ()
        self._first = 0
        self.is_expanded = False

    @property
    def views(self) -> tuple[MessageView, ...]:
        """The messages that are there, from top to bottom."""
        return tuple(self._transcript.query_children(MessageView))

    @property
    def hidden(self) -> int:
        """How many earlier messages are not there."""
        return self._first

    @property
    def path(self) -> tuple[Shown, ...]:
        """All messages of the branch, also those that are not there."""
        return self._path

    async def reach(self, message: str) -> MessageView | None:
        """Where a message is shown, once what is from there on is there."""
        ids = [_last(each).id for each in self._path]
        if message in ids and (missing := self._first - ids.index(message)) > 0:
            await self.load_earlier(missing + MOUNTED_MORE // 2)
        return self.view(message)

    def view(self, message: str) -> MessageView | None:
        """Where a message is shown."""
        return next((each for each in self.views if each.holds(message)), None)

    def above(self, message: str) -> str:
        """The message shown before this one; empty at the top."""
        ids = [each.message_id for each in self.views]
        place = ids.index(message) if message in ids else 0
        return ids[place - 1] if place else ""

    async def show(self, tree: ChatTree) -> None:
        """Show the chosen branch, leaving what is there already as it is."""
        self._path = tuple(each for each in grouped(tree.path()) if _is_shown(each))
        views = self.views
        self._first = min(self._first, max(len(self._path) - MOUNTED_AT_FIRST, 0))
        if not views:
            self._first = max(len(self._path) - MOUNTED_AT_FIRST, 0)
        wanted = self._path[self._first :]
        kept = 0
        for view, node in zip(views, wanted, strict=False):
            if not view.is_of(_last(node)):
                break
            kept += 1
        await self._cut(views[kept] if kept < len(views) else None)
        await self._transcript.mount_all(self._widgets(self._first + kept, len(self._path)))
        self._mark(tree)
        await self._say_earlier()

    async def load_earlier(self, count: int = MOUNTED_MORE) -> None:
        """Put more of the messages before the first."""
        if not self._first:
            return
        end, self._first = self._first, max(self._first - count, 0)
        views = self.views
        await self._transcript.mount_all(
            self._widgets(self._first, end), before=views[0] if views else None
        )
        await self._say_earlier()

    async def thin_out(self) -> None:
        """Take messages from the top that nobody looks at."""
        views = self.views
        surplus = len(views) - MOUNTED_AT_FIRST
        if len(views) <= MOST_MOUNTED or not self._transcript.is_following:
            return
        first = views[surplus]
        children = list(self._transcript.children)
        async with self._transcript.batch():
            await self._transcript.remove_children(children[: children.index(first)])
            self._first += surplus
            await self._say_earlier()

    async def begin(
        self, answer: Answer, question: Question | None = None, after: str | None = None
    ) -> None:
        """Put an answer that is about to arrive after a message; None is the end."""
        if after is not None:
            views = self.views
            ids = [view.message_id for view in views]
            follows = ids.index(after) + 1 if after in ids else 0
            await self._cut(views[follows] if follows < len(views) else None)
        new = [answer] if question is None else [question, answer]
        await self._transcript.mount_all(new)
        answer.toggle_thinking(self.is_expanded)

    def note(self, text: str, before: Widget | None) -> None:
        """Say something between the messages."""
        self._transcript.mount(_note(text), before=before)

    async def clear(self) -> None:
        """Show nothing."""
        self._path, self._first, self._earlier = (), 0, None
        await self._transcript.remove_children()

    def expand_thinking(self, is_expanded: bool) -> None:
        """Fold or unfold all thinking."""
        self.is_expanded = is_expanded
        for view in self.views:
            if isinstance(view, AnswerView):
                view.toggle_thinking(is_expanded)

    async def _cut(self, first: Widget | None) -> None:
        """Take away a message and all below it, with the note above it."""
        if first is None:
            return
        children = list(self._transcript.children)
        place = children.index(first)
        while place and children[place - 1].has_class("model-note"):
            place -= 1
        await self._transcript.remove_children(children[place:])

    def _widgets(self, start: int, end: int) -> list[Widget]:
        return list(_widgets(self._path[:end], start, self.is_expanded))

    def _mark(self, tree: ChatTree) -> None:
        for view in self.views:
            if tree.get(view.branching_id):
                view.branch_line.show(tree.branch(view.branching_id))

    async def _say_earlier(self) -> None:
        if self._earlier is None or not self._earlier.is_attached:
            if not self._first:
                return
            self._earlier = Static(Content(""), classes="earlier")
            await self._transcript.mount(self._earlier, before=0 if self.views else None)
        self._earlier.display = self._first > 0
        self._earlier.update(Content(f"▲ {self._first:,} earlier messages"))


def _widgets(path: Sequence[Shown], start: int, is_expanded: bool) -> Iterator[Widget]:
    nodes = [_last(each) for each in path]
    model = next((node.model for node in reversed(nodes[:start]) if node.model), "")
    for place in range(start, len(path)):
        shown, node = path[place], nodes[place]
        if isinstance(shown, AnswerSteps):
            model = node.model or model
            view = KeptAnswer(shown)
            if is_expanded:
                view.toggle_thinking(True)
            yield view
        elif is_seam(node):
            yield SeamView(node)
        else:
            answer = nodes[place + 1] if place + 1 < len(path) else node
            if model and answer.model and answer.model != model:
                yield _note(f"{answer.model} answers from here on")
            yield Question(node.text, node)


def _last(shown: Shown) -> MessageNode:
    return shown.last if isinstance(shown, AnswerSteps) else shown


def _is_shown(each: Shown) -> bool:
    return isinstance(each, AnswerSteps) or each.role == "user" or is_seam(each)


def _note(text: str) -> Static:
    return Static(literal_line(text), classes="model-note")
