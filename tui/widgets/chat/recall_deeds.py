"""Pins and drops passages that were recalled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.assistant.recall.changing import toggle_dropped, toggle_pinned
from tui.widgets.chat.column import Column
from tui.widgets.chat.question import Question
from tui.widgets.chat.recall_messages import RecallChanged
from vault.conversations.errors import ConversationError

if TYPE_CHECKING:
    from tui.widgets.chat.pane import ChatPane


class RecallDeeds:
    """Call from a worker: the store is written."""

    def __init__(self, pane: ChatPane, column: Column) -> None:
        self._pane = pane
        self._column = column

    async def change(self, event: RecallChanged) -> None:
        """Do it, or say why that cannot be."""
        chat = self._pane.current_chat
        if chat is None:
            return
        if self._pane.is_answering:
            self._pane.notify("An answer is being written; Esc stops it.", markup=False)
            return
        change = toggle_pinned if event.change == "pin" else toggle_dropped
        try:
            await change(chat, event.question, event.place)
        except ConversationError as error:
            self._pane.complain(str(error))
            return
        node, view = chat.tree.get(event.question), self._column.view(event.question)
        if node is not None and isinstance(view, Question):
            view.show_recalled(node)
