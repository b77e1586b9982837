"""The controls of a what-if: three fields driven by keys, and the plans below them."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.plan.contract import MemoryPlan, PlanOptions
from engine.protocol import ModelInfo
from tui.widgets.gauge.paint import to_content
from tui.widgets.gauge.plain import shown_lines
from tui.widgets.gauge.what_if import FIELDS, WhatIf, as_now, with_key, with_model
from tui.widgets.gauge.what_if_lines import FIELD_LINES, Answer, what_if_lines

SETTLE_SECONDS = 0.15
_LEAST_WIDTH = 20


class WhatIfAsked(Message):
    """What would this cost? Answer by the box's `show_answer` with this number.

    `path` is a model folder, or empty for the loaded model.
    """

    def __init__(self, box: WhatIfBox, number: int, path: str, options: PlanOptions) -> None:
        super().__init__()
        self.box = box
        self.number = number
        self.path = path
        self.options = options


class WhatIfModelAsked(Message):
    """The user wants to choose the model of the what-if; answer by the box's `show_model`."""

    def __init__(self, box: WhatIfBox) -> None:
        super().__init__()
        self.box = box


class WhatIfClosed(Message):
    """Back to the gauge."""


class WhatIfBox(Static):
    """Asks for plans and shows them; knows no engine."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,down", "none", "Field", key_display="↑↓"),
        Binding("left,right", "none", "Change", key_display="←→"),
        Binding("enter", "choose_model", "Model"),
        Binding("escape", "close", "Back"),
    ]

    def __init__(self, is_ascii: bool, id: str | None = None) -> None:
        super().__init__(Content(""), id=id)
        self._is_ascii = is_ascii
        self._asked = WhatIf(1, 0)
        self._loaded: ModelInfo | None = None
        self._answer: Answer = None
        self._number = 0
        self._shown: tuple[object, ...] = ()

    def open(self) -> None:
        """Begin with what is in force."""
        self._asked = as_now(self._plan_now)
        self._ask()

    def show_loaded(self, model: ModelInfo | None) -> None:
        """The model in force, for the left column."""
        if model != self._loaded:
            self._loaded = model
            self._draw()

    def show_model(self, path: str, name: str) -> None:
        """Another model was chosen."""
        self._change(with_model(self._asked, path, name))

    def show_answer(self, number: int, answer: MemoryPlan | str) -> None:
        """The plan, or a sentence why there is none; what nobody waits for any more is dropped."""
        if number == self._number:
            self._answer = answer
            self._draw()

    def on_resize(self) -> None:
        """Bars are as wide as the pane."""
        self._draw()

    def on_key(self, event: events.Key) -> None:
        """Every key that changes a wish."""
        asked = with_key(self._asked, event.key)
        if asked != self._asked:
            event.stop()
            event.prevent_default()
            self._change(asked)

    def on_click(self, event: events.Click) -> None:
        """A click chooses a field; the model's opens the choice of models."""
        if event.y < FIELD_LINES:
            event.stop()
            self._asked = with_key(self._asked, "")
            while self._asked.field != FIELDS[event.y]:
                self._asked = with_key(self._asked, "down")
            self._draw()
            if self._asked.field == "model":
                self.action_choose_model()

    def action_choose_model(self) -> None:
        """Let the user choose a model."""
        self.post_message(WhatIfModelAsked(self))

    def action_close(self) -> None:
        """Back to the gauge."""
        self._number += 1
        self.post_message(WhatIfClosed())

    @property
    def _plan_now(self) -> MemoryPlan | None:
        return self._loaded.plan if self._loaded is not None else None

    def _change(self, asked: WhatIf) -> None:
        is_same_plan = (asked.path, asked.options) == (self._asked.path, self._asked.options)
        self._asked = asked
        if is_same_plan:
            self._draw()
        else:
            self._ask()

    def _ask(self) -> None:
        self._number += 1
        self._answer = None
        number = self._number
        self.set_timer(SETTLE_SECONDS, lambda: self._send(number))
        self._draw()

    def _send(self, number: int) -> None:
        if number == self._number:
            self.post_message(WhatIfAsked(self, number, self._asked.path, self._asked.options))

    def _draw(self) -> None:
        width = max(self.size.width, _LEAST_WIDTH)
        name = self._loaded.name if self._loaded is not None else ""
        wanted = (self._asked, name, self._plan_now, self._answer, width)
        if wanted != self._shown:
            self._shown = wanted
            lines = what_if_lines(self._asked, name, self._plan_now, self._answer, width)
            self.update(to_content(shown_lines(lines, self._is_ascii)))
