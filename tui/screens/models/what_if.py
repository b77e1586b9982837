"""What a plan can be asked for in place: context length, form of the KV cache, adapter."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from engine.plan.contract import PlanOptions
from tui.models.naming import model_name
from tui.screens.models.stepper import Option, Stepper
from tui.text.content import literal, literal_line

SMALLEST_CONTEXT = 1024
LARGEST_CONTEXT = 1 << 20

KV_OPTIONS: tuple[Option, ...] = (("as set", None), ("plain", 0), ("8-bit", 8), ("4-bit", 4))

NO_ADAPTER = "none"
_ADAPTER_CELLS = 12


class WhatIf(Horizontal):
    """One line of values that are changed where they stand."""

    def __init__(self, adapter: str, id: str | None = None) -> None:
        super().__init__(id=id)
        self.adapter = adapter
        self._length = Stepper("ctx", context_options(0)[:1], id="picker-context")
        self._kv = Stepper("KV", KV_OPTIONS, id="picker-kv")
        self._adapter_name = Static("", id="picker-adapter")

    def compose(self) -> ComposeResult:
        """Context length, KV cache, adapter."""
        yield self._length
        yield self._kv
        yield self._adapter_name

    def on_mount(self) -> None:
        """Show the adapter."""
        self.show_adapter(self.adapter)

    def show_adapter(self, folder: str) -> None:
        """Plan with this LoRA folder, or with none."""
        self.adapter = folder
        name = literal_line(model_name(folder) if folder else NO_ADAPTER, _ADAPTER_CELLS)
        self._adapter_name.update(literal("LoRA ") + name)

    def fit_window(self, window: int) -> None:
        """Offer the context lengths of a model with this window."""
        self._length.offer(context_options(window))

    @property
    def as_set(self) -> PlanOptions:
        """The conditions under which the models of the list are compared."""
        return PlanOptions(adapter=self.adapter)

    @property
    def options(self) -> PlanOptions:
        """The conditions that are shown."""
        return PlanOptions(
            context_tokens=self._length.value,
            kv_bits=self._kv.value,
            adapter=self.adapter,
        )


def context_options(window: int) -> tuple[Option, ...]:
    """Doubling lengths up to the model's window; where that is unknown, up to a million."""
    ceiling = window if window > 0 else LARGEST_CONTEXT
    lengths: list[int] = []
    length = SMALLEST_CONTEXT
    while length < ceiling and length <= LARGEST_CONTEXT:
        lengths.append(length)
        length *= 2
    lengths.append(ceiling)
    return (("as set", None), *((f"{length:,}", length) for length in lengths))
