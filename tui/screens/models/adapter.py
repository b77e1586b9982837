"""Choosing a LoRA folder: one that was found, one that is typed, or none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.models.adapters import adapter_problem
from tui.screens.too_small import TooSmall
from tui.text.content import literal, literal_line


class AdapterScreen(ModalScreen[str | None]):
    """Answers with a folder, "" for none, or None to leave it as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", show=False),
        Binding("down", "enter_list", show=False),
    ]

    def __init__(self, find: Callable[[], Awaitable[tuple[Path, ...]]], present: str) -> None:
        super().__init__()
        self._find = find
        self._present = present
        self._folders: tuple[Path, ...] = ()

    def compose(self) -> ComposeResult:
        """A line to type in, a list to choose from, and what is wrong."""
        with Vertical(id="adapter"):
            yield Input(self._present, placeholder="a LoRA folder; empty for none", compact=True)
            yield Static("", id="adapter-problem")
            yield OptionList(Option("no adapter"), id="adapter-list", compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Look for adapters."""
        self.query_one("#adapter").border_title = "LoRA adapter"
        self.query_one(Input).focus()
        self._look()

    @on(Input.Submitted)
    def take_folder(self, event: Input.Submitted) -> None:
        """A folder was typed."""
        event.stop()
        text = event.value.strip()
        folder = Path(text).expanduser().absolute() if text and "\0" not in text else None
        problem = adapter_problem(folder) if folder is not None else ""
        if problem:
            self.query_one("#adapter-problem", Static).update(literal(problem))
        else:
            self.dismiss(str(folder) if folder is not None else "")

    @on(OptionList.OptionSelected)
    def take_line(self, event: OptionList.OptionSelected) -> None:
        """A line of the list was chosen."""
        event.stop()
        index = event.option_index
        self.dismiss(str(self._folders[index - 1]) if index else "")

    def action_enter_list(self) -> None:
        """From the line to the list."""
        self.query_one(OptionList).focus()

    @work(exclusive=True)
    async def _look(self) -> None:
        self._folders = await self._find()
        names = self.query_one(OptionList)
        names.add_options(Option(literal_line(folder.name)) for folder in self._folders)
