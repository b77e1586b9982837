"""What a plan leaves unused: safety for the allocator and the process, and the prompt cache."""

from __future__ import annotations

from typing import assert_never

from engine.plan.contract import MemoryPlan, PlanItem
from engine.plan.device import Backend
from engine.plan.machine import Machine

PROMPT_CACHE_LABEL = "waiting conversations"
_GIB = 1024**3
_LARGE_MAC_BYTES = 24 * _GIB
_LARGE_MAC_RESERVE = 3 * _GIB
"""The largest peak above prediction that LM Studio measured was 2.41 GiB, on any size of Mac."""
_SMALL_RESERVE = 1 * _GIB
_RESERVE_SHARE = 10
"""One part in so many of the usable memory, where nothing larger is known to be needed."""
_PROMPT_CACHE_SHARE = 16
_LARGEST_PROMPT_CACHE = 8 * _GIB


def reserve_items(machine: Machine, prompt_cache_bytes: int | None) -> tuple[PlanItem, ...]:
    """The reserve line by line; None for the prompt cache means its share of the memory."""
    cache = prompt_cache_budget(machine.usable_bytes, prompt_cache_bytes)
    return (
        PlanItem("reserve", "safety", _safety(machine)),
        PlanItem("reserve", PROMPT_CACHE_LABEL, cache),
    )


def prompt_cache_budget(usable_bytes: int, chosen_bytes: int | None) -> int:
    """Bytes that caches of waiting conversations may take."""
    if chosen_bytes is not None:
        return max(chosen_bytes, 0)
    return min(max(usable_bytes, 0) // _PROMPT_CACHE_SHARE, _LARGEST_PROMPT_CACHE)


def safety_bytes(plan: MemoryPlan) -> int:
    """The part of a plan's reserve that must stay free even without waiting conversations."""
    return plan.reserve_bytes - sum(
        item.bytes
        for item in plan.items
        if item.part == "reserve" and item.label == PROMPT_CACHE_LABEL
    )


def allocator_limit(backend: Backend, safety: int) -> int | None:
    """How much MLX may pool; None leaves its own limit, which is 32 MiB on the CPU.

    Pooled buffers come on top of what MLX counts as active, so they must fit into the safety;
    half of it stays for what MLX does not count: the process, its libraries, compiled kernels.
    """
    return None if backend == "cpu" else safety // 2


def _safety(machine: Machine) -> int:
    share = max(machine.usable_bytes, 0) // _RESERVE_SHARE
    match machine.device.backend:
        case "metal":
            is_large = machine.device.total_bytes >= _LARGE_MAC_BYTES
            return _LARGE_MAC_RESERVE if is_large else _SMALL_RESERVE
        case "cuda":
            return min(_SMALL_RESERVE, share)
        case "cpu":
            return share
        case _:
            assert_never(machine.device.backend)
