"""A form for how the words of one chat are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Label, Static

from tui.assistant.sampling_choice import BadSampling, SamplingChoice, sampling_keys, typed_value
from tui.screens.too_small import TooSmall
from tui.settings.values import AUTO
from tui.text.content import literal

FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "temperature": "Temperature",
        "top_p": "Top p",
        "top_k": "Top k",
        "min_p": "Min p",
        "repetition_penalty": "Repetition",
        "presence_penalty": "Presence",
        "frequency_penalty": "Frequency",
        "seed": "Seed",
        "max_tokens": "Longest answer",
    }
)
_EXPLAINED = "Empty: as your settings say, which is shown. auto: as the model asks."


class SamplingForm(ModalScreen[SamplingChoice | None]):
    """Answers with what the chat sets of its own; None when nothing is to change."""

    CSS_PATH = "sampling_form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True),
        Binding("ctrl+r", "reset", "All empty"),
        Binding("escape", "dismiss", "Leave it"),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]

    def __init__(self, choice: SamplingChoice, settings: Mapping[str, object]) -> None:
        """`settings` are the values in force where the chat sets none."""
        super().__init__()
        self._choice = choice
        self._settings = settings

    def compose(self) -> ComposeResult:
        """A line for each value, what is wrong, keys."""
        with Vertical(id="sampling-form") as form:
            form.border_title = Content("How this chat's words are chosen")
            with VerticalScroll(can_focus=False, id="sampling-fields"):
                for name, label in FIELDS.items():
                    with Horizontal(classes="sampling-row"):
                        yield Label(Content(label))
                        yield Input(
                            self._shown(name),
                            placeholder=self._usual(name),
                            compact=True,
                            id=f"sampling-{name}",
                        )
            yield Static(Content(_EXPLAINED), id="sampling-said")
            yield Footer(compact=True)
        yield TooSmall()

    def on_mount(self) -> None:
        """Begin at the first."""
        self.query_one("#sampling-temperature", Input).focus()

    @on(Input.Changed)
    def check(self, event: Input.Changed) -> None:
        """Say at once what a value must be, or what the setting means."""
        event.stop()
        self._say_of(event.input)

    def on_descendant_focus(self) -> None:
        """What the value means that is being typed."""
        if isinstance(self.focused, Input):
            self._say_of(self.focused)

    @on(Input.Submitted)
    def action_save(self) -> None:
        """Keep it, unless a value cannot be used."""
        values = {name: v for name, v in self._choice.values.items() if name not in FIELDS}
        for name in FIELDS:
            line = self.query_one(f"#sampling-{name}", Input)
            if line.value.strip():
                try:
                    values[name] = typed_value(name, line.value.strip())
                except BadSampling:
                    line.focus()
                    self._say_of(line)
                    return
        self.dismiss(SamplingChoice(MappingProxyType(values), self._choice.thinking))

    def action_reset(self) -> None:
        """Have everything as the settings say."""
        for line in self.query(Input):
            line.value = ""

    def _say_of(self, line: Input) -> None:
        name = (line.id or "").removeprefix("sampling-")
        said, problem = f"{_about(name)} {_EXPLAINED}", ""
        if line.value.strip():
            try:
                typed_value(name, line.value.strip())
            except BadSampling as error:
                problem = str(error)
        note = self.query_one("#sampling-said", Static)
        note.update(literal(problem or said))
        note.set_class(bool(problem), "-bad")

    def _shown(self, name: str) -> str:
        if name not in self._choice.values:
            return ""
        value = self._choice.values[name]
        return AUTO if value is None else str(value)

    def _usual(self, name: str) -> str:
        value = self._settings.get(name)
        return "as the model asks" if value is None else str(value)


def _about(name: str) -> str:
    """What the settings file says of it."""
    from tui.settings.starter import documentation

    return documentation(sampling_keys()[name])
