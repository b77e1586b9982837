"""All that was looked up for one answer: a few lines, or one line over many."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.assistant.memory_tools.articles import NamedArticle
from tui.assistant.memory_tools.calls import Looked
from tui.text.content import literal_line
from tui.widgets.chat.tool_card import ToolCard
from tui.widgets.chat.tool_wording import head_line
from vault.conversations.values import ToolCall

SHOWN_CARDS = 3
"""So many are always seen; of more, the last ones while they come and none afterwards."""


class LogHead(Static):
    """The line over many cards."""

    def on_click(self, event: events.Click) -> None:
        """Show them, or fold them away."""
        event.stop()
        if isinstance(self.parent, ToolLog):
            self.parent.fold()


class ToolLog(Vertical):
    """Cards in the order of the calls; hidden while there are none."""

    def __init__(self, calls: Sequence[tuple[ToolCall, Looked | None]] = ()) -> None:
        super().__init__(classes="tool-log")
        self._cards = [ToolCard(call, looked) for call, looked in calls]
        self._head = LogHead(Content(""), classes="tool-head tool-log-head")
        self._is_over = True
        self._is_listed = False

    def compose(self) -> ComposeResult:
        """The line over them, and the cards."""
        yield self._head
        yield from self._cards

    def on_mount(self) -> None:
        """Show what there is."""
        self._show()

    @property
    def articles(self) -> tuple[NamedArticle, ...]:
        """The articles that were looked at, each once."""
        return tuple(dict.fromkeys(each for card in self._cards for each in card.articles))

    @property
    def is_empty(self) -> bool:
        """Whether nothing was looked up."""
        return not self._cards

    async def ask(self, call: ToolCall) -> None:
        """One more is wanted."""
        card = ToolCard(call, None, is_running=True)
        self._cards.append(card)
        self._is_over = False
        await self.mount(card)
        self._show()

    def answer(self, call: str, looked: Looked) -> None:
        """What it brought."""
        for card in self._cards:
            if card.call.id == call:
                card.take(looked)
        self._show()

    def end(self) -> None:
        """Nothing more comes."""
        self._is_over = True
        for card in self._cards:
            card.end()
        self._show()

    def toggle(self) -> None:
        """List many cards, then open all, then fold them away; open or close a few."""
        are_many = len(self._cards) > SHOWN_CARDS
        are_open = any(card.is_open for card in self._cards)
        if are_many and not self._is_listed:
            self._is_listed = True
        else:
            for card in self._cards:
                card.unfold(not are_open)
            self._is_listed = not are_open
        self._show()

    def fold(self) -> None:
        """List many cards, or fold them away."""
        self._is_listed = not self._is_listed
        self._show()

    def _show(self) -> None:
        self.display = bool(self._cards)
        are_many = len(self._cards) > SHOWN_CARDS
        self._head.display = are_many
        if are_many:
            looked = [card.looked for card in self._cards]
            self._head.update(literal_line(head_line(looked, self._is_listed)))
        last = len(self._cards) - SHOWN_CARDS
        for place, card in enumerate(self._cards):
            is_new = not self._is_over and place >= last
            card.display = not are_many or self._is_listed or is_new
