"""The passages below a question, or below the answer they were read for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from tui.assistant.recall.record import Record
from tui.text.content import literal_line
from tui.widgets.chat.recall_messages import PassageWanted, RecallChange, RecallChanged
from tui.widgets.chat.recall_rows import Row, deed_at, folded_line, open_lines, passage_rows
from tui.widgets.chat.transcript import Transcript

_ON_NOTHING = "◇ nothing about this in the wiki"
_KNOWN = "◇ what fits is further up already"
_DIM = Style(dim=True)


class RecallChips(Static):
    """One line that opens to a row for each passage; hidden while there is nothing to tell.

    The keys work while it is open and was chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("enter,o", "do('open')", show=False),
        Binding("p", "do('pin')", show=False),
        Binding("d,delete", "do('drop')", show=False),
        Binding("w,space", "do('why')", show=False),
        Binding("escape,m", "leave", show=False),
    ]

    def __init__(self, head: str, *, can_change: bool) -> None:
        super().__init__(Content(""), classes="recall")
        self._head = head
        self._can_change = can_change
        self._question = ""
        self._rows: tuple[Row, ...] = ()
        self._remark = ""
        self._cursor = 0
        self._opened: set[int] = set()
        self.is_open = False
        self.display = False

    @property
    def is_empty(self) -> bool:
        """Whether there is no passage."""
        return not self._rows

    def show_record(self, question: str, record: Record | None, remark: str = "") -> None:
        """Show what was recalled for a question, or what else there is to tell."""
        rows = passage_rows(record.passages) if record else ()
        if record is not None and not rows:
            remark = _KNOWN if record.is_known else _ON_NOTHING if record.line else remark
        elif remark:
            remark = f"◇ {remark}"
        self._show(rows, remark, question)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show passages that are not to be changed here."""
        self._show(tuple(rows), "", "")

    def unfold(self) -> None:
        """Open the list and have the keys go to it; or fold it."""
        if self.is_empty:
            return
        self.is_open = not self.is_open
        self.can_focus = self.is_open
        if self.is_open:
            self.focus()
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Do what is named under the mouse; anywhere else, open or fold."""
        event.stop()
        wanted = deed_at(dict(event.style.meta))
        if wanted is None:
            self.unfold()
        else:
            self._cursor = wanted[0]
            self._do(wanted[1])

    def on_resize(self) -> None:
        """Another width."""
        self._draw()

    def on_focus(self) -> None:
        """The keys go to it."""
        self._draw()

    def on_blur(self) -> None:
        """They go elsewhere."""
        self._draw()

    def action_move(self, step: int) -> None:
        """Another row."""
        self._cursor = min(max(self._cursor + step, 0), len(self._rows) - 1)
        self._draw()

    def action_do(self, deed: str) -> None:
        """Do something with the row."""
        self._do(deed)

    def action_leave(self) -> None:
        """Fold it and go back to the messages."""
        self.is_open = self.can_focus = False
        self._draw()
        for above in self.ancestors:
            if isinstance(above, Transcript):
                above.focus(scroll_visible=False)

    def _show(self, rows: tuple[Row, ...], remark: str, question: str) -> None:
        self._rows, self._remark, self._question = rows, remark, question
        self._cursor = min(self._cursor, max(len(rows) - 1, 0))
        self.display = bool(rows or remark)
        self._draw()

    def _do(self, deed: str) -> None:
        row = self._rows[self._cursor]
        match deed:
            case "open":
                self.post_message(PassageWanted(row.path, row.anchor, row.line))
            case "why":
                self._opened ^= {self._cursor}
                self.is_open = True
            case "pin" | "drop" if self._can_change:
                change: RecallChange = "pin" if deed == "pin" else "drop"
                self.post_message(RecallChanged(self._question, self._cursor, change))
            case _:
                pass
        self._draw()

    def _draw(self) -> None:
        width = self.size.width or 60
        if not self._rows:
            self.update(literal_line(self._remark, width).stylize(_DIM))
        elif self.is_open:
            cursor = self._cursor if self.has_focus else None
            self.update(
                open_lines(
                    self._rows,
                    self._head,
                    cursor,
                    self._opened,
                    width,
                    can_change=self._can_change,
                )
            )
        else:
            self.update(folded_line(self._rows, self._head, width))
