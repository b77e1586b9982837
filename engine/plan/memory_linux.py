"""Free memory and shortness of memory as Linux tells them under /proc."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.plan.machine_room import Room, read_text, whole_number

SWAP_IN_USE = 512 * 1024**2
"""Swapped bytes that matter, if little memory is free as well: unused pages stay swapped long."""

LITTLE_FREE = 0.35
"""Part of all memory; with less than this free, swap in use means that memory is short."""

_PRESSURE_PERCENT = 10.0
_KIB = 1024
_STALLED = re.compile(r"^some avg10=(\d{1,3}\.\d{1,4}) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LinuxMemory:
    """Figures of /proc/meminfo in bytes, None where a line is missing or malformed."""

    total: int | None
    available: int | None
    swap_used: int | None


def read_linux_memory(root: Path) -> LinuxMemory:
    """Read `root`/proc/meminfo. A kernel without MemAvailable gets free plus page cache."""
    lines = _meminfo(read_text(root / "proc/meminfo") or "")
    available = lines.get("MemAvailable")
    if available is None and "MemFree" in lines:
        cache = lines.get("Cached", 0) + lines.get("Buffers", 0) - lines.get("Shmem", 0)
        available = lines["MemFree"] + max(cache, 0)
    swap_used = None
    if "SwapTotal" in lines and "SwapFree" in lines:
        # Pages that are in memory as well as in swap cost no reading.
        in_both = lines.get("SwapCached", 0)
        swap_used = max(lines["SwapTotal"] - lines["SwapFree"] - in_both, 0)
    return LinuxMemory(lines.get("MemTotal"), available, swap_used)


def free_room(memory: LinuxMemory) -> Room | None:
    """What any program may still take, None when /proc does not say."""
    return None if memory.available is None else Room(memory.available, "free memory")


def is_short_of_memory(root: Path, memory: LinuxMemory) -> bool:
    """Whether programs wait for memory, or much is swapped out while little is free."""
    if _pressure_percent(read_text(root / "proc/pressure/memory") or "") >= _PRESSURE_PERCENT:
        return True
    return is_swapping(memory.swap_used, memory.available, memory.total)


def is_swapping(used: int | None, available: int | None, total: int | None) -> bool:
    """The rule for every system: swap in use and little memory free."""
    if used is None or available is None or not total:
        return False
    return used > SWAP_IN_USE and available < LITTLE_FREE * total


def _pressure_percent(text: str) -> float:
    """Share of the last ten seconds in which some program stalled for memory."""
    found = _STALLED.search(text)
    return float(found[1]) if found else 0.0


def _meminfo(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        number = whole_number(value.strip().removesuffix(" kB"))
        if number is not None:
            found[name] = number * _KIB
    return found
