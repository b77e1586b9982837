"""Reading sizes out of a `config.json` that may hold anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from engine.errors import EngineError
from engine.models.context_window import WINDOW_KEYS
from engine.plan.geometry import Experts

_Item = TypeVar("_Item", str, int)

MAX_LAYERS = 4096
_MAX_SIZE = 1 << 32
_SHOWN = 60
_NOTHING: Mapping[str, int] = MappingProxyType({})

_EXPERT_COUNTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
_EXPERTS_ACTIVE = ("num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_k")
_SHARED_COUNTS = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
_SHARED_WIDTHS = (
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "shared_intermediate_size",
)


class UnplannableModel(EngineError):
    """The configuration cannot be planned from; the message is the reason, for the user."""


class UnknownArchitecture(UnplannableModel):
    """A family or layer kind without a formula here; mlx-lm may well run it."""


class Fields:
    """One section of a configuration. What is null counts as absent.

    `defaults` are mlx-lm's own for the family. Every method raises UnplannableModel.
    """

    def __init__(
        self, values: Mapping[str, object], defaults: Mapping[str, int] = _NOTHING
    ) -> None:
        self._values = values
        self._defaults = defaults

    def over(self, defaults: Mapping[str, int]) -> Fields:
        """The same section with other defaults."""
        return Fields(self._values, defaults)

    def size(self, name: str) -> int:
        """A positive integer that must be there, or have a default."""
        found = self.size_or_none(name)
        if not found:
            raise UnplannableModel(f"config.json does not say {name}.")
        return found

    def size_or(self, name: str, otherwise: int) -> int:
        """A positive integer, or `otherwise` when it is absent."""
        found = self.size_or_none(name)
        return otherwise if found is None else found

    def size_or_none(self, name: str) -> int | None:
        """A positive integer, or None when it is absent."""
        value = self._values.get(name)
        if value is None:
            return self._defaults.get(name)
        if type(value) is not int or not 0 < value <= _MAX_SIZE:
            raise UnplannableModel(f"config.json says {name} is {_short(value)}.")
        return value

    def count(self, name: str) -> int:
        """An integer that may be zero; zero when it is absent."""
        value = self._values.get(name)
        if value is None or value is False:
            return self._defaults.get(name, 0)
        if type(value) is not int or not 0 <= value <= _MAX_SIZE:
            raise UnplannableModel(f"config.json says {name} is {_short(value)}.")
        return value

    def layer_count(self, name: str = "num_hidden_layers") -> int:
        """How many layers there are, within reason."""
        found = self.size(name)
        if found > MAX_LAYERS:
            raise UnplannableModel(f"config.json says {name} is {found}.")
        return found

    def flag(self, name: str, otherwise: bool = False) -> bool:
        """Whether something is switched on."""
        value = self._values.get(name)
        return otherwise if value is None else bool(value)

    def words(self, name: str) -> tuple[str, ...] | None:
        """A list of words, one a layer, or a text of one letter a layer."""
        return _items(name, self._values.get(name), str)

    def numbers(self, name: str) -> tuple[int, ...] | None:
        """A list of integers, one a layer or one a chosen layer."""
        return _items(name, self._values.get(name), int)

    def section(self, name: str) -> Fields:
        """A nested table, which must be there."""
        value = self._values.get(name)
        if value is None:
            raise UnplannableModel(f"config.json does not say {name}.")
        if not isinstance(value, Mapping):
            raise UnplannableModel(f"config.json says {name} is {_short(value)}.")
        return Fields(value)

    def section_or_self(self, name: str) -> Fields:
        """A nested table, or this one when there is none."""
        return self if self._values.get(name) is None else self.section(name)

    def word(self, name: str) -> str:
        """A text, or an empty one."""
        value = self._values.get(name)
        return value if isinstance(value, str) else ""

    def numbers_or_size(self, name: str) -> tuple[int, ...]:
        """One size a layer, or one for all."""
        if isinstance(self._values.get(name), list):
            found = self.numbers(name)
            if found and all(0 < size <= _MAX_SIZE for size in found):
                return found
        return (self.size(name),)

    def first_size(self, names: Sequence[str]) -> int:
        """The first of several spellings that is there, or 0."""
        return next((found for name in names if (found := self.count(name))), 0)

    def context_window(self) -> int:
        """Tokens the model was made for; 0 when its configuration does not say."""
        return self.first_size(WINDOW_KEYS)

    def experts(self) -> Experts | None:
        """The mixture of experts, under any of its spellings; None for a dense model."""
        count = self.first_size(_EXPERT_COUNTS)
        if not count:
            return None
        width = self.count("moe_intermediate_size") or self.count("intermediate_size")
        shared = self.first_size(_SHARED_WIDTHS) or width * self.first_size(_SHARED_COUNTS)
        active = self.first_size(_EXPERTS_ACTIVE) or count
        return Experts(count, min(active, count), width, shared)


def _items(name: str, value: object, kind: type[_Item]) -> tuple[_Item, ...] | None:
    if value is None:
        return None
    if kind is str and isinstance(value, str):
        value = list(value)
    is_list = isinstance(value, list) and len(value) <= MAX_LAYERS
    if not isinstance(value, list) or not is_list or any(type(item) is not kind for item in value):
        raise UnplannableModel(f"config.json says {name} is {_short(value)}.")
    return tuple(value)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
