"""How many threads a matrix product may use."""

from __future__ import annotations

import os
from pathlib import Path

_CPUS = Path("/sys/devices/system/cpu")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")
# Decoding is bound by memory bandwidth, which a few cores already exhaust.
_MOST = 16


def product_threads() -> int:
    """Physical cores this process may use; from four cores up one is left to the terminal."""
    cores = len({_core(cpu) for cpu in os.sched_getaffinity(0)})
    quota = _quota_cores()
    if quota is not None:
        cores = min(cores, quota)
    return max(1, min(cores - 1 if cores >= 4 else cores, _MOST))


def _core(cpu: int) -> tuple[str, str]:
    """Package and core number; a processor without them counts as a core of its own."""
    topology = _CPUS / f"cpu{cpu}" / "topology"
    try:
        package = (topology / "physical_package_id").read_text().strip()
        return package, (topology / "core_id").read_text().strip()
    except OSError:
        return "", str(cpu)


def _quota_cores() -> int | None:
    """Whole cores a container may use, None without a limit."""
    try:
        quota, period = _QUOTA.read_text().split()
        return None if quota == "max" else max(1, int(quota) // int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return None
