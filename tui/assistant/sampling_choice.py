"""What a chat says of its own about sampling and thinking; the rest is as the settings say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tui.settings.keys import Key, all_keys, nearest
from tui.settings.values import AUTO, expected, from_text, from_value

THINKING = "thinking"
_OF_THE_WINDOW = ("system_prompt", "collapse_paste", "auto_title", "compact", "compact_at")


class BadSampling(Exception):
    """A value that cannot be used; `str()` is a sentence that names its key."""


@dataclass(frozen=True, slots=True)
class SamplingChoice:
    """Values by the names of the chat settings; None is what the model asks for.

    `thinking` is None where it is left to the model.
    """

    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    thinking: bool | None = None

    def to_json(self) -> str:
        """As it is kept with a chat; empty where there is nothing to keep."""
        told = dict(self.values)
        if self.thinking is not None:
            told[THINKING] = self.thinking
        return json.dumps(told) if told else ""


def sampling_keys() -> Mapping[str, Key]:
    """The settings a chat may have of its own, by their names without the section."""
    return {
        key.path[1]: key
        for key in all_keys().values()
        if key.path[0] == "chat" and key.path[-1] not in _OF_THE_WINDOW
    }


def checked_sampling(values: Mapping[str, object]) -> SamplingChoice:
    """Values with types, as TOML or JSON gives them. Raises BadSampling for the first bad one."""
    keys = sampling_keys()
    found: dict[str, object] = {}
    thinking: bool | None = None
    for name, value in values.items():
        if name == THINKING:
            thinking = _thinking(value)
            continue
        if name not in keys:
            hint = nearest(name, [*keys, THINKING])
            raise BadSampling(f"It has an unknown key {name!r}.{hint}")
        try:
            found[name] = None if value is None else from_value(keys[name], value)
        except ValueError as error:
            raise BadSampling(f"{name} must be {error}; it is {_short(value)}.") from error
        if value is None and not keys[name].is_optional:
            raise BadSampling(f"{name} must be {expected(keys[name])}.")
    return SamplingChoice(MappingProxyType(found), thinking)


def typed_value(name: str, text: str) -> object:
    """A value as somebody types it. Raises BadSampling."""
    keys = sampling_keys()
    if name not in keys:
        raise BadSampling(f"There is no such setting: {name}.{nearest(name, keys)}")
    try:
        return from_text(keys[name], text)
    except ValueError as error:
        raise BadSampling(f"{name} must be {error}; it is {_short(text)}.") from error


def kept_sampling(text: str) -> SamplingChoice:
    """What `to_json` wrote; what cannot be used any more is left out."""
    try:
        told = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return SamplingChoice()
    if not isinstance(told, dict):
        return SamplingChoice()
    values: dict[str, object] = {}
    for name, value in told.items():
        try:
            checked_sampling({name: value})
        except BadSampling:
            continue
        values[name] = value
    return checked_sampling(values)


def _thinking(value: object) -> bool | None:
    if value is None or value == AUTO:
        return None
    if not isinstance(value, bool):
        raise BadSampling(f'{THINKING} must be true, false or "{AUTO}"; it is {_short(value)}.')
    return value


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
