"""The parts of the chat pane that the first frame does without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from tui.assistant.assistant import Assistant
from tui.widgets.chat.answer import AnswerView
from tui.widgets.chat.answering import Answering
from tui.widgets.chat.code_blocks import code_blocks
from tui.widgets.chat.deeds import MessageDeeds
from tui.widgets.chat.finding import Finding
from tui.widgets.chat.message_keys import key_line
from tui.widgets.chat.message_view import MessageView
from tui.widgets.chat.meter import Meter
from tui.widgets.chat.named_articles import articles_in
from tui.widgets.chat.recall_deeds import RecallDeeds
from tui.widgets.chat.selection import Selection
from tui.widgets.chat.transcript import Transcript

if TYPE_CHECKING:
    from tui.widgets.chat.pane import ChatPane


class ChatParts:
    """Answering, choosing a message, doing something with it."""

    def __init__(
        self, pane: ChatPane, assistant: Assistant, transcript: Transcript, meter: Meter
    ) -> None:
        self._pane = pane
        self.answering = Answering(assistant, transcript, meter, pane.prompt.typist, pane.complain)
        self.selection = Selection(transcript, self.answering.column, self._show_keys)
        self.deeds = MessageDeeds(pane, self.selection)
        self.finding = Finding(pane, transcript, self.answering.column)
        self.recall = RecallDeeds(pane, self.answering.column)

    def _show_keys(self, view: MessageView | None) -> None:
        line = self._pane.query_one("#message-keys", Static)
        line.display = view is not None and view.node is not None
        if view is not None and view.node is not None:
            cells = max(self._pane.size.width - 4, 1)
            has_code = bool(code_blocks(view.text))
            branch = view.branch_line.branch
            steps = view.steps if isinstance(view, AnswerView) else None
            told = key_line(steps or view.node, branch, has_code, cells, marks=_marks(view))
            line.update(Content(told))


def _marks(view: MessageView) -> list[str]:
    """The keys for what was looked up for a message, and for the articles it is about."""
    has_look_ups = isinstance(view, AnswerView) and not view.look_ups.is_empty
    found = ["o look-ups"] if has_look_ups else []
    return [*found, "a articles"] if articles_in(view) else found
