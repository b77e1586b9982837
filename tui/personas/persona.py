"""A persona, and whether what a file says can be one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.assistant.sampling_choice import THINKING, BadSampling, SamplingChoice, checked_sampling
from tui.settings.keys import nearest
from vault.conversations.values import ChatOptions

_TEXTS = ("name", "about", "system_prompt", "memory_scope")
_KNOWN = (*_TEXTS, "memory", THINKING, "sampling")
_LONGEST_NAME = 60


class BadPersona(Exception):
    """What is wrong with one file; `str()` is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Persona:
    """Instructions, sampling, and what of the memory may be used; `about` says what it is for."""

    name: str
    about: str = ""
    system_prompt: str = ""
    sampling: SamplingChoice = field(default_factory=SamplingChoice)
    has_memory: bool = True
    memory_scope: str = ""

    def options(self, model: str = "") -> ChatOptions:
        """As it is kept with a chat."""
        return ChatOptions(
            self.system_prompt,
            self.name,
            model,
            self.sampling.to_json(),
            self.has_memory,
            self.memory_scope,
        )


def to_persona(fields: Mapping[str, object]) -> Persona:
    """The persona of a file's keys; raises BadPersona for the first that cannot be used."""
    for name in fields:
        if name not in _KNOWN:
            raise BadPersona(f"It has an unknown key {name!r}.{nearest(name, _KNOWN)}")
    texts = {name: _text(name, fields.get(name, "")) for name in _TEXTS}
    name = texts["name"].strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadPersona(f"Its name {texts['name']!r} must be plain text of one line.")
    memory = fields.get("memory", True)
    if not isinstance(memory, bool):
        raise BadPersona(f"memory must be true or false; it is {memory!r}.")
    return Persona(
        name,
        " ".join(texts["about"].split()),
        texts["system_prompt"].strip("\n"),
        _sampling(fields),
        memory,
        texts["memory_scope"],
    )


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadPersona(f"{name} must be text in quotes; it is {value!r}.")
    return value


def _sampling(fields: Mapping[str, object]) -> SamplingChoice:
    table = fields.get("sampling", {})
    if not isinstance(table, dict):
        raise BadPersona("sampling must be a table: write [sampling] on a line of its own.")
    if THINKING in table:
        raise BadPersona("thinking stands above [sampling], not in it.")
    thinking = {THINKING: fields[THINKING]} if THINKING in fields else {}
    try:
        return checked_sampling({**table, **thinking})
    except BadSampling as error:
        in_table = " in [sampling]" if "unknown key" in str(error) else ""
        raise BadPersona(str(error).replace("It has", f"It has{in_table}", 1)) from error
