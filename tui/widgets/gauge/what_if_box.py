"""The controls of a what-if: three fields driven by keys, and the plans below them."""

from __future__ import annotations

from typing import ClassVar

import msgspec
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

NO_MODEL = "No model is loaded. Type a part of a model's name and press Enter."
SETTLE_SECONDS = 0.15
_LEAST_WIDTH = 20


class WhatIfAsked(Message):
    """What would the model folder at `path` cost? Answer by `show_answer` with this number."""

    def __init__(self, box: WhatIfBox, number: int, path: str, options: PlanOptions) -> None:
        super().__init__()
        self.box = box
        self.number = number
        self.path = path
        self.options = options


class WhatIfModelAsked(Message):
    """Another model is wanted: answer by `show_model` or `show_refusal`.

    `words` are of its name; empty when the user wants to pick from a list.
    """

    def __init__(self, box: WhatIfBox, words: str) -> None:
        super().__init__()
        self.box = box
        self.words = words


class WhatIfClosed(Message):
    """Back to the gauge."""


class WhatIfBox(Static):
    """Asks for plans and shows them; knows no engine."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
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

    def show_refusal(self, sentence: str) -> None:
        """Why there is no such model; an answer that is still on its way is dropped."""
        self._number += 1
        self._answer = sentence
        self._draw()

    def on_resize(self) -> None:
        """Bars are as wide as the pane."""
        self._draw()

    def on_key(self, event: events.Key) -> None:
        """Every key that changes a wish."""
        is_letter = event.is_printable and event.character is not None
        key = event.character if is_letter else event.key
        asked = with_key(self._asked, key or event.key)
        if asked != self._asked:
            event.stop()
            event.prevent_default()
            self._change(asked)

    def on_click(self, event: events.Click) -> None:
        """A click chooses a field; the model's opens the choice of models."""
        if event.y < FIELD_LINES:
            event.stop()
            while self._asked.field != FIELDS[event.y]:
                self._asked = with_key(self._asked, "down")
            self._draw()
            if self._asked.field == "model":
                self.action_choose_model()

    def action_choose_model(self) -> None:
        """Find the model that was typed, or let the user pick one."""
        words = self._asked.typed if self._asked.field == "model" else ""
        self.post_message(WhatIfModelAsked(self, words))

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
        if number != self._number:
            return
        path, options = self._asked.path, self._asked.options
        if not path and self._loaded is not None:
            path = self._loaded.path
            options = msgspec.structs.replace(options, adapter=self._loaded.adapter)
        if path:
            self.post_message(WhatIfAsked(self, number, path, options))
        else:
            self.show_answer(number, NO_MODEL)

    def _draw(self) -> None:
        width = max(self.size.width, _LEAST_WIDTH)
        name = self._loaded.name if self._loaded is not None else ""
        wanted = (self._asked, name, self._plan_now, self._answer, width)
        if wanted != self._shown:
            self._shown = wanted
            lines = what_if_lines(self._asked, name, self._plan_now, self._answer, width)
            self.update(to_content(shown_lines(lines, self._is_ascii)))
