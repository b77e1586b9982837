"""How the open chat is answered: by a persona, with instructions and sampling of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual.app import App

from tui.assistant.assistant import Assistant
from tui.settings.schema import ChatSettings
from tui.text.line import to_line
from vault.conversations.values import ChatOptions

if TYPE_CHECKING:
    from tui.assistant.sampling_choice import SamplingChoice
    from tui.personas.load import PersonaSet
    from tui.personas.persona import Persona

Severity = Literal["information", "warning"]
_RESET = "reset"
_AS_SETTINGS = "This chat follows the instructions of your settings again."


@dataclass(frozen=True, slots=True)
class ChatHabits:
    """The user's settings for chats, and the folder of their persona files."""

    settings: ChatSettings
    personas_dir: Path


class AnswerDesk:
    """Call from workers: most of it asks something. What it needs is imported then."""

    def __init__(self, app: App[None], assistant: Assistant, habits: ChatHabits) -> None:
        self._app = app
        self._assistant = assistant
        self._habits = habits

    async def choose_persona(self, name: str) -> None:
        """Let a persona answer this chat from now on; without a name, list them."""
        from tui.personas.load import load_personas

        found = await asyncio.to_thread(load_personas, self._habits.personas_dir)
        self.tell_problems(found)
        persona = self._called(found, name) if name else await self._picked(found)
        if persona is None:
            return
        await self._assistant.set_options(persona.options(self._assistant.options.model))
        self._say(f"{to_line(persona.name)} answers this chat from here on.")

    def tell_problems(self, found: PersonaSet) -> None:
        """Say which persona files cannot be used."""
        for path, problem in found.problems:
            self._say(f"Persona {path.name}: {problem}", "warning")

    def _called(self, found: PersonaSet, name: str) -> Persona | None:
        persona = found.called(name)
        if persona is None:
            hint = found.hint(name) or " /persona lists them."
            self._say(f"There is no persona called {to_line(name)}.{hint}", "warning")
        return persona

    async def _picked(self, found: PersonaSet) -> Persona | None:
        from tui.screens.pick import PickScreen

        personas = tuple(found.personas.values())
        now = self._assistant.options.persona
        marks = ("●" if each.name == now else " " for each in personas)
        column = max(len(each.name) for each in personas)
        lines = [
            f"{mark} {each.name:<{column}}  {each.about}"
            for mark, each in zip(marks, personas, strict=True)
        ]
        at = await self._app.push_screen_wait(PickScreen("Who answers this chat?", lines))
        return None if at is None else personas[at]

    async def set_system_prompt(self, text: str) -> None:
        """Give this chat instructions of its own; without a text, edit them."""
        options = self._assistant.options
        if not text:
            from tui.screens.review.text_edit import TextEditScreen

            title = "Instructions for this chat (empty: as your settings say)"
            edited = await self._app.push_screen_wait(TextEditScreen(title, options.system_prompt))
            if edited is None or edited.strip() == options.system_prompt:
                return
            text = edited.strip()
        await self._assistant.set_options(replace(options, system_prompt=text))
        self._say("This chat has its own instructions now." if text else _AS_SETTINGS)

    async def set_sampling(self, text: str) -> None:
        """Set `NAME VALUE`, or `reset`; without a text, show the form."""
        from tui.assistant.sampling_choice import SamplingChoice, kept_sampling

        options = self._assistant.options
        now = kept_sampling(options.sampling)
        if text.strip() == _RESET:
            choice: SamplingChoice | None = SamplingChoice()
        else:
            choice = self._typed(now, text) if text else await self._filled_in(now)
        if choice is not None:
            await self._assistant.set_options(replace(options, sampling=choice.to_json()))
            self._say(_told(options, choice.values))

    def _typed(self, choice: SamplingChoice, text: str) -> SamplingChoice | None:
        from tui.assistant.sampling_choice import BadSampling, typed_value

        name, _, value = text.replace("=", " ").partition(" ")
        try:
            return replace(choice, values={**choice.values, name: typed_value(name, value.strip())})
        except BadSampling as error:
            self._say(str(error), "warning")
            return None

    async def _filled_in(self, choice: SamplingChoice) -> SamplingChoice | None:
        from tui.screens.chats.sampling_form import SamplingForm

        names = ChatSettings.__struct_fields__
        settings = {name: getattr(self._habits.settings, name) for name in names}
        return await self._app.push_screen_wait(SamplingForm(choice, settings))

    def _say(self, text: str, severity: Severity = "information") -> None:
        self._app.notify(text, severity=severity, markup=False)


def _told(before: ChatOptions, values: Mapping[str, object]) -> str:
    if not values:
        again = "again " if before.sampling else ""
        return f"This chat's words are chosen {again}as your settings say."
    told = ", ".join(f"{name} {'auto' if each is None else each}" for name, each in values.items())
    return f"In this chat: {to_line(told)}."
