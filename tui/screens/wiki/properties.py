"""The properties and the infobox of a page, line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, Static

from tui.screens.ask_text import AskTextScreen
from tui.screens.question import Choice, QuestionScreen
from tui.screens.too_small import TooSmall
from tui.screens.wiki.property_rows import (
    Place,
    PropertyRow,
    problem_of,
    rows_of,
    with_value,
    without,
)
from tui.text.content import literal_line
from vault.errors import EditRefused


class PropertiesScreen(ModalScreen[str | None]):
    """Answers with the text as changed, or None when it is as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "Save"),
        Binding("a", "add('properties')", "Add property"),
        Binding("i", "add('infobox')", "Add to infobox"),
        Binding("d,delete", "remove", "Remove"),
        Binding("escape", "leave", "Leave"),
    ]
    DEFAULT_CSS = """
    PropertiesScreen { align: center middle; background: $background 60%; }
    #properties {
        width: 80;
        max-width: 96%;
        height: auto;
        max-height: 90%;
        border: round $pane-border-focused;
        border-title-color: $pane-title;
        border-title-style: bold;
        background: $surface;
    }
    #properties-list { height: auto; max-height: 20; background: $surface; border: none; }
    #properties-note { height: auto; padding: 0 1; color: $foreground-muted; }
    """

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._before = self._text = text
        self._rows: tuple[PropertyRow, ...] = ()

    def compose(self) -> ComposeResult:
        """One line for each; keys below."""
        with Vertical(id="properties") as box:
            box.border_title = literal_line(f"Properties of {self._title}")
            yield OptionList(id="properties-list")
            yield Static(Content(""), id="properties-note")
            yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Read them."""
        self._read(0)
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def change_value(self) -> None:
        """Enter: another value."""
        row = self._row
        if row is not None:
            self._ask_value(row)

    def action_add(self, place: Place) -> None:
        """Another line."""
        self._ask_key(place)

    def action_remove(self) -> None:
        """Take the line away."""
        row = self._row
        if row is not None:
            self._change(lambda: without(self._text, row))

    def action_take(self) -> None:
        """Keep the changes."""
        self.dismiss(self._text if self._text != self._before else None)

    @work(exclusive=True, group="property")
    async def action_leave(self) -> None:
        """Leave; what was changed is kept only if that is wanted."""
        if self._text == self._before:
            self.dismiss(None)
            return
        keep, drop = Choice("keep", "Save", "primary"), Choice("drop", "Discard", "error")
        question = QuestionScreen("The properties were changed.", (keep, drop))
        answer = await self.app.push_screen_wait(question)
        if answer is not None:
            self.dismiss(self._text if answer == keep.id else None)

    @work(exclusive=True, group="property")
    async def _ask_value(self, row: PropertyRow) -> None:
        what = f"{row.key} (commas between the items):" if row.is_list else f"{row.key}:"
        value = await self.app.push_screen_wait(AskTextScreen(what, row.value))
        if value is not None:
            self._change(lambda: with_value(self._text, row, value))

    @work(exclusive=True, group="property")
    async def _ask_key(self, place: Place) -> None:
        line = await self.app.push_screen_wait(AskTextScreen("key: value"))
        key, mark, value = (line or "").partition(":")
        if not mark or not key.strip():
            if line:
                self._note("Write it as key: value.")
            return
        is_list = key.strip().casefold() in {"tags", "aliases", "cssclasses"}
        row = PropertyRow(place, key.strip(), "", is_list and place == "properties")
        self._change(lambda: with_value(self._text, row, value.strip()))

    def _change(self, make: Callable[[], str]) -> None:
        try:
            self._text = make()
        except EditRefused as error:
            self._note(str(error))
        else:
            self._read(self.query_one(OptionList).highlighted or 0)

    def _read(self, at: int) -> None:
        self._rows = rows_of(self._text)
        options = self.query_one(OptionList)
        options.clear_options()
        widest = max((len(row.key) for row in self._rows), default=0)
        options.add_options([_line(row, min(widest, 24)) for row in self._rows])
        options.highlighted = min(at, len(self._rows) - 1) if self._rows else None
        problem = problem_of(self._text)
        told = (
            f"The properties at the top can only be edited as text: {problem}." if problem else ""
        )
        self._note(told or ("" if self._rows else "There are none yet: a or i adds one."))

    def _note(self, text: str) -> None:
        self.query_one("#properties-note", Static).update(
            literal_line(text) if text else Content("")
        )

    @property
    def _row(self) -> PropertyRow | None:
        at = self.query_one(OptionList).highlighted
        return None if at is None or at >= len(self._rows) else self._rows[at]


def _line(row: PropertyRow, width: int) -> Content:
    key = literal_line(row.key, width)
    gap = " " * (width - key.cell_length + 2)
    place = "▪ " if row.place == "infobox" else "· "
    return Content.assemble(place, key.stylize("bold"), gap, literal_line(row.value))
