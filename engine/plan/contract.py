"""The memory plan: what a model costs at a context length, and whether that fits.

Admission reads `fits`, `max_safe_context` and the byte terms only; the rest is for people.
"""

from __future__ import annotations

from typing import Literal

import msgspec

SCHEMA_VERSION = 1

Strategy = Literal["generic-kv", "glm52-colibri"]
Part = Literal["weights", "kv", "transient", "reserve"]
Verdict = Literal["fits", "squeezes", "too-big", "unknown"]
"""`squeezes`: fits what the device may use, but other programs would have to give memory up."""


class PlanItem(msgspec.Struct, frozen=True):
    """One line of the bill; the items of a part sum to that part's bytes."""

    part: Part
    label: str
    bytes: int


class MemoryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes for one model at `context_tokens` tokens.

    `weights + kv + transient + reserve = total`, and `fits` is `total <= usable`. The first three
    together bound the peak that MLX measures. `max_safe_context` is the largest context that
    fits, at most the model's window; one growth step more does not fit where memory binds.
    """

    schema_version: int = SCHEMA_VERSION
    strategy: Strategy
    fits: bool
    context_tokens: int
    max_safe_context: int
    weights_bytes: int
    kv_bytes: int
    transient_bytes: int
    reserve_bytes: int
    total_bytes: int
    usable_bytes: int
    predicted_decode_tps: float | None = None
    """Tokens a second while answering; None when it cannot be predicted."""
    allocator_limit_bytes: int | None = None
    """For MLX's pool of freed buffers; not a limit on the process."""
    reasons: tuple[str, ...] = ()
    """Sentences: what binds, what was assumed, why it does not fit."""

    verdict: Verdict
    context_window: int = 0
    """What the model was made for; 0 when its configuration does not say."""
    kv_bits: int = 0
    """Bits of a quantized KV cache; 0 when it is not quantized."""
    rows: int = 1
    predicted_prefill_tps: float | None = None
    measured_decode_tps: float | None = None
    """What this machine really did with this model, when it ran before."""
    measured_peak_bytes: int | None = None
    """The highest MLX peak ever seen with this model here, beside its own prediction."""
    predicted_peak_bytes: int | None = None
    items: tuple[PlanItem, ...] = ()


class PlanOptions(msgspec.Struct, frozen=True):
    """What a plan is asked for. None means: as the engine is set up."""

    context_tokens: int | None = None
    kv_bits: int | None = None
    """0 for none, 4 or 8."""
    rows: int = 1
    adapter: str = ""
    """A LoRA folder, or empty."""
    budget_bytes: int | None = None
    """Usable bytes, instead of what the machine has."""
    draft: str = ""
    """The folder of a draft model, or empty."""
