"""A document in which texts are found."""

from __future__ import annotations

from textual.message import Message

from tui.document.flow import Flow
from tui.document.moving import bring_text_in
from tui.widgets.document.finding import Finding, Match
from tui.widgets.document.view import DocumentView

_SLICE = 0.02
_BETWEEN_SLICES = 0.01


class SearchedView(DocumentView):
    """Finds a text, shows its matches and goes from one to the next."""

    class FindAsked(Message):
        """The reader wants to type what to find."""

    class Found(Message):
        """How a search stands: the match the reader is at from 1 on, and how many there are."""

        def __init__(self, here: int, count: int) -> None:
            super().__init__()
            self.here = here
            self.count = count

    def find(self, query: str) -> None:
        """Find a text from here on; an empty one ends the search."""
        if not query.strip() or self.flow is None:
            self.finding = None
            self.refresh()
            return
        self.finding = Finding(query)
        self._look_on(self.finding, self._place()[0])

    def go_to_match(self, *, forward: bool) -> None:
        """Go to the next match or the one before."""
        if self.finding is None:
            self.post_message(self.FindAsked())
            return
        self._show_match(self.finding.step(forward, self._place()[0]))
        self._tell_found(self.finding)

    def _look_on(self, finding: Finding, from_block: int) -> None:
        flow = self.flow
        if finding is not self.finding or flow is None:
            return
        with self._in_place(tells_height=False):
            is_done = finding.look(flow, _SLICE)
        is_reached = bool(finding.matches) and finding.matches[-1].block >= from_block
        if finding.here < 0 and (is_done or is_reached):
            self._show_match(finding.step(True, from_block))
        self._tell_found(finding)
        self.refresh()
        if not is_done:
            self.set_timer(_BETWEEN_SLICES, lambda: self._look_on(finding, from_block))

    def _show_match(self, match: Match | None) -> None:
        if match is not None and self.flow is not None:
            self.flow.reveal(match.block)
            bring_text_in(self.flow, match.block, match.start, match.end)
            self.show_line(_line_of(self.flow, match))
        self.refresh()

    def _tell_found(self, finding: Finding) -> None:
        self.post_message(self.Found(finding.here + 1, len(finding.matches)))


def _line_of(flow: Flow, match: Match) -> int:
    """The line that a match begins on."""
    lines = flow.laid(match.block).lines
    inner = 0
    for number, line in enumerate(lines):
        if line.start <= match.start and len(line.text) > line.margin:
            inner = number
    return flow.top(match.block) + inner - (len(lines) - flow.lines_of(match.block))
