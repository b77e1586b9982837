"""Memory bandwidth of Apple's chips, by their name. Bytes a second.

Figures as Apple and the press give them; the 32-core M5 Max is from memory and unconfirmed.
"""

from __future__ import annotations

import functools
import os
import platform
import re
from dataclasses import dataclass

from engine.plan.device import Device
from engine.plan.memory_macos import read_gpu

_GIGA = 1e9
_BRAND = re.compile(r"\bM(\d{1,2})(?: (Pro|Max|Ultra))?\b")

_BANDWIDTH = {
    "M1": 68.25,
    "M1 Pro": 200.0,
    "M1 Max": 400.0,
    "M1 Ultra": 800.0,
    "M2": 100.0,
    "M2 Pro": 200.0,
    "M2 Max": 400.0,
    "M2 Ultra": 800.0,
    "M3": 100.0,
    "M3 Pro": 150.0,
    "M3 Max": 400.0,
    "M3 Ultra": 819.0,
    "M4": 120.0,
    "M4 Pro": 273.0,
    "M4 Max": 546.0,
    "M5": 153.0,
    "M5 Pro": 307.0,
    "M5 Max": 614.0,
}


@dataclass(frozen=True, slots=True)
class _Binned:
    """The smaller variant of a chip that carries the same name: fewer cores, fewer channels."""

    bandwidth: float
    cpu_cores: int
    gpu_cores: int


_BINNED = {
    "M3 Max": _Binned(300.0, 14, 30),
    "M4 Max": _Binned(410.0, 14, 32),
    "M5 Max": _Binned(460.0, 0, 32),  # both variants have 18 CPU cores
}


@dataclass(frozen=True, slots=True)
class Cores:
    """Core counts that tell variants apart; 0 where unknown."""

    cpu: int = 0
    gpu: int = 0


def chip_name(brand: str) -> str | None:
    """`M4 Max` out of `Apple M4 Max` or a longer string; None when it is no Apple chip."""
    found = _BRAND.search(brand) if "Apple" in brand else None
    if found is None:
        return None
    return f"M{found[1]} {found[2]}" if found[2] else f"M{found[1]}"


def chip_bandwidth(chip: str, cores: Cores) -> float | None:
    """Peak bandwidth; None for a chip not in the table.

    A variant that cannot be told apart counts as the slower one.
    """
    full = _BANDWIDTH.get(chip)
    binned = _BINNED.get(chip)
    if full is None:
        return None
    is_full = binned is None or _is_full(binned, cores)
    return (full if is_full or binned is None else binned.bandwidth) * _GIGA


def device_bandwidth(device: Device) -> float | None:
    """What was measured, else what the table says; None when neither is known."""
    if device.bandwidth > 0:
        return device.bandwidth
    chip = chip_name(device.name) if device.backend == "metal" else None
    return None if chip is None else chip_bandwidth(chip, _local_cores())


def _is_full(binned: _Binned, cores: Cores) -> bool:
    if cores.gpu > 0:
        return cores.gpu > binned.gpu_cores
    return 0 < binned.cpu_cores < cores.cpu


@functools.cache
def _local_cores() -> Cores:
    if platform.system() != "Darwin":
        return Cores()
    return Cores(os.cpu_count() or 0, read_gpu().cores or 0)
