"""What a question and an answer on the screen have in common."""

from __future__ import annotations

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from vault.conversations.values import Branch, MessageNode


class BranchLine(Static):
    """`‹ 1/2 ›`: which of several versions of a message is shown; a click goes to the next."""

    class Stepped(Message):
        """The user wants the version so many further on."""

        def __init__(self, line: BranchLine, step: int) -> None:
            super().__init__()
            self.line, self.step = line, step

        @property
        def control(self) -> BranchLine:
            """The line that was clicked."""
            return self.line

    def __init__(self) -> None:
        super().__init__(Content(""), classes="branch-line")
        self.branch = Branch(1, ("",))
        self.display = False

    def show(self, branch: Branch) -> None:
        """Say which of how many."""
        if branch == self.branch:
            return
        self.branch = branch
        self.display = len(branch.ids) > 1
        self.update(Content(f"‹ {branch.number}/{len(branch.ids)} ›"))

    def on_click(self, event: events.Click) -> None:
        """Its left half goes back, its right half on."""
        event.stop()
        self.post_message(self.Stepped(self, -1 if event.x <= len(str(self.content)) // 2 else 1))


class MessageView(Vertical):
    """One message. `node` is what is stored of it, None until that is known."""

    class Chosen(Message):
        """The user clicked on a message."""

        def __init__(self, view: MessageView) -> None:
            super().__init__()
            self.view = view

    def __init__(self, node: MessageNode | None, classes: str) -> None:
        super().__init__(classes=classes)
        self.node = node
        self.branch_line = BranchLine()

    @property
    def message_id(self) -> str:
        """The id in the store, empty while it has none."""
        return self.node.id if self.node else ""

    @property
    def text(self) -> str:
        """What it says, as it was written."""
        return self.node.text if self.node else ""

    @property
    def branching_id(self) -> str:
        """The message whose alternatives are those of this one."""
        return self.message_id

    def holds(self, message: str) -> bool:
        """Whether a message is shown here."""
        return bool(message) and message == self.message_id

    def is_of(self, node: MessageNode) -> bool:
        """Whether it shows this message as it is now."""
        mine = self.node
        return mine is not None and (mine.id, mine.text, mine.state) == (
            node.id,
            node.text,
            node.state,
        )

    def on_click(self) -> None:
        """Choose it."""
        self.post_message(self.Chosen(self))
