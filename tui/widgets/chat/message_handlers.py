"""What a pane does with keys and clicks on its messages."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Vertical

from tui.widgets.chat.find_bar import FindBar
from tui.widgets.chat.message_view import BranchLine, MessageView
from tui.widgets.chat.recall_messages import RecallChanged
from tui.widgets.chat.transcript import Transcript

if TYPE_CHECKING:
    from tui.widgets.chat.parts import ChatParts


class MessageHandlers(Vertical):
    """Passes them on to the parts."""

    @property
    @abstractmethod
    def parts(self) -> ChatParts:
        """What the first frame does without."""

    @on(Transcript.ChoiceWanted)
    async def choose_other(self, event: Transcript.ChoiceWanted) -> None:
        """A key of the transcript."""
        await self.parts.selection.move(event.way)

    @on(MessageView.Chosen)
    def choose_clicked(self, event: MessageView.Chosen) -> None:
        """A click on a message."""
        if event.view is not self.parts.selection.view:
            self.parts.selection.choose(event.view)

    @on(Transcript.DeedWanted)
    @work(group="deed")
    async def do_deed(self, event: Transcript.DeedWanted) -> None:
        """Something is wanted of the chosen message."""
        await self.parts.deeds.do(event.name)

    @on(BranchLine.Stepped)
    @work(group="deed")
    async def step_branch(self, event: BranchLine.Stepped) -> None:
        """A click on the line that says which version is shown."""
        await self.parts.deeds.step_line(event.line, event.step)

    @on(RecallChanged)
    @work(group="deed")
    async def change_recalled(self, event: RecallChanged) -> None:
        """A passage is to be pinned or dropped."""
        await self.parts.recall.change(event)

    @on(Transcript.TopNeared)
    @work(group="earlier", exclusive=True)
    async def load_earlier(self) -> None:
        """The user reads towards the beginning."""
        await self.parts.answering.column.load_earlier()

    @on(FindBar.Wanted)
    @work(group="find", exclusive=True)
    async def look_for(self, event: FindBar.Wanted) -> None:
        """Other words are to be found."""
        await self.parts.finding.look(event.words)

    @on(FindBar.Stepped)
    @work(group="find-step")
    async def step_to_hit(self, event: FindBar.Stepped) -> None:
        """Another hit is wanted."""
        await self.parts.finding.step(event.step)

    @on(FindBar.Closed)
    async def end_finding(self) -> None:
        """Nothing is looked for any more."""
        await self.parts.finding.close()
