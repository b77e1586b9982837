"""What a model may occupy in the engine process on this machine, right now."""

from __future__ import annotations

from dataclasses import dataclass

from engine.plan.device import Device


@dataclass(frozen=True, slots=True)
class Machine:
    """Memory as the plan sees it. All sizes in bytes."""

    device: Device
    usable_bytes: int
    """What the model may occupy, counting what the engine process holds for one already."""
    available_bytes: int
    """Free now, for any program."""
    binding: str
    """Which limit is the smallest, as a phrase: `the memory cgroup /x`, `free memory`."""
    is_squeezed: bool = False
    """The system is short of memory already: it swaps or reports pressure."""
    squeeze_free_bytes: int = 0
    """Like `usable_bytes`, but what can be used before other programs must give memory up."""
    notes: tuple[str, ...] = ()
    """Sentences about figures that could not be read or deserve a remark."""
