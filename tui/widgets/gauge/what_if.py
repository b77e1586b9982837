"""What the user asks the plan for: another context length, KV bits or model. Pure values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from engine.plan.contract import MemoryPlan, PlanOptions

Field = Literal["context", "kv-bits", "model"]
FIELDS: tuple[Field, ...] = ("context", "kv-bits", "model")
KV_BITS = (0, 8, 4)
SHORTEST_CONTEXT = 256
LONGEST_CONTEXT = 16 * 1024 * 1024
_MOST_DIGITS = 8
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The three wishes, and the one the keys are for. An empty `path` is the loaded model.

    `typed` is what is being typed into the field: digits, or a part of a model's name.
    """

    context_tokens: int
    kv_bits: int
    path: str = ""
    name: str = ""
    field: Field = "context"
    typed: str = ""

    @property
    def options(self) -> PlanOptions:
        """As a plan is asked for."""
        return PlanOptions(context_tokens=self.context_tokens, kv_bits=self.kv_bits)


def as_now(plan: MemoryPlan | None) -> WhatIf:
    """What is in force."""
    if plan is None:
        return WhatIf(8192, 0)
    return WhatIf(max(plan.context_tokens, 1), plan.kv_bits)


def with_key(asked: WhatIf, key: str) -> WhatIf:
    """What a key makes of it, a letter or a name such as `left`; others change nothing."""
    if key in {"up", "down"}:
        step = 1 if key == "down" else -1
        place = (FIELDS.index(asked.field) + step) % len(FIELDS)
        return replace(asked, field=FIELDS[place], typed="")
    match asked.field:
        case "context":
            return _with_context_key(asked, key)
        case "kv-bits":
            return _with_bits_key(asked, key)
        case "model":
            return _with_name_key(asked, key)
        case _:
            assert_never(asked.field)


def with_model(asked: WhatIf, path: str, name: str) -> WhatIf:
    """Another model, with the other wishes as they were."""
    return replace(asked, path=path, name=name, typed="")


def _with_context_key(asked: WhatIf, key: str) -> WhatIf:
    if len(key) == 1 and key.isascii() and key.isdigit():
        return _with_typed(asked, (asked.typed + key)[:_MOST_DIGITS].lstrip("0"))
    match key:
        case "backspace":
            return _with_typed(asked, (asked.typed or str(asked.context_tokens))[:-1])
        case "left":
            return replace(asked, context_tokens=_power_below(asked.context_tokens), typed="")
        case "right":
            return replace(asked, context_tokens=_power_above(asked.context_tokens), typed="")
        case _:
            return asked


def _with_typed(asked: WhatIf, typed: str) -> WhatIf:
    tokens = min(int(typed), LONGEST_CONTEXT) if typed else asked.context_tokens
    return replace(asked, typed=typed, context_tokens=max(tokens, 1))


def _with_bits_key(asked: WhatIf, key: str) -> WhatIf:
    if key not in {"left", "right", " "}:
        return asked
    known = asked.kv_bits in KV_BITS
    place = KV_BITS.index(asked.kv_bits) if known else 0
    step = -1 if key == "left" else 1
    return replace(asked, kv_bits=KV_BITS[(place + step) % len(KV_BITS)])


def _with_name_key(asked: WhatIf, key: str) -> WhatIf:
    if len(key) == 1 and key.isprintable():
        return replace(asked, typed=(asked.typed + key)[:_LONGEST_NAME].lstrip())
    if key != "backspace":
        return asked
    if asked.typed:
        return replace(asked, typed=asked.typed[:-1])
    return replace(asked, path="", name="")


def _power_below(tokens: int) -> int:
    below = 1 << max(tokens - 1, 1).bit_length() - 1
    return below if below >= SHORTEST_CONTEXT else min(tokens, SHORTEST_CONTEXT)


def _power_above(tokens: int) -> int:
    return min(LONGEST_CONTEXT, max(SHORTEST_CONTEXT, 1 << tokens.bit_length()))
