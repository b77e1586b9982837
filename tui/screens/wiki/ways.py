"""A question whose answers need a line of explanation each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.screens.too_small import TooSmall
from tui.text.content import literal, literal_line


@dataclass(frozen=True, slots=True)
class Way:
    """One answer: `id` is what the question answers, `what` says what it does."""

    id: str
    label: str
    what: str = ""


class WaysScreen(ModalScreen[str | None]):
    """Answers with the id of the chosen way, or None on Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]
    DEFAULT_CSS = """
    WaysScreen { align: center middle; background: $background 60%; }
    #ways {
        width: 76;
        max-width: 96%;
        height: auto;
        max-height: 94%;
        border: round $pane-border-focused;
        border-title-color: $pane-title;
        border-title-style: bold;
        background: $surface;
        padding: 1 2;
    }
    #ways-text { height: auto; max-height: 6; margin-bottom: 1; }
    #ways-list { height: auto; max-height: 16; background: $surface; border: none; padding: 0; }
    #ways-list:focus { background-tint: $surface 0%; }
    .-low #ways, .-narrow #ways { padding: 0 1; }
    .-low #ways-text { margin-bottom: 0; max-height: 2; }
    """

    def __init__(self, title: str, text: str, ways: Sequence[Way]) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._ways = ways

    def compose(self) -> ComposeResult:
        """What happened, and the ways on from there."""
        with Vertical(id="ways") as box:
            box.border_title = literal_line(self._title)
            with VerticalScroll(id="ways-text", can_focus=False):
                yield Static(literal(self._text))
            yield OptionList(*(Option(_line(way), id=way.id) for way in self._ways), id="ways-list")
        yield TooSmall()

    def on_mount(self) -> None:
        """The first way is the one that loses least."""
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def answer(self, event: OptionList.OptionSelected) -> None:
        """A way was chosen."""
        self.dismiss(event.option.id)


def _line(way: Way) -> Content:
    label = literal_line(way.label).stylize("bold")
    if not way.what:
        return label
    return Content.assemble(label, "\n  ", literal_line(way.what).stylize("not bold"))
