"""What MLX computes on: `python -P -m engine.worker.device CACHE_DIR [BLAS]` prints it as JSON.

It ends when its standard input does, so that it cannot outlive who asked.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec

from engine.compute import ComputePath
from engine.models.lifeline import die_with_parent
from engine.plan.device import Device, remember_device
from engine.worker.blas import activate

_SIDE = 4096
"""Rows and columns of the matrix: 64 MiB of float32, more than any cache close to a core holds."""
_FEWEST_ROUNDS, _MOST_ROUNDS = 3, 9
_MOST_SECONDS = 0.12


def probe_device(compute: ComputePath) -> Device:
    """The facts of MLX's default device. Imports MLX: the matrix library must be chosen before.

    On the CPU the speed of a matrix-vector product is measured, about a tenth of a second.
    """
    import mlx.core as mx

    info = mx.device_info()
    architecture = str(info.get("architecture", ""))
    name = str(info.get("device_name") or architecture or "unknown device")
    if mx.default_device().type == mx.DeviceType.cpu:
        bandwidth = _product_bandwidth()
        return Device("cpu", name, compute.kind, bandwidth=bandwidth, architecture=architecture)
    if mx.metal.is_available():
        return Device(
            "metal",
            name,
            compute.kind,
            total_bytes=int(info.get("memory_size", 0)),
            recommended_bytes=int(info.get("max_recommended_working_set_size", 0)),
            architecture=architecture,
        )
    total = int(info.get("total_memory", 0))
    return Device("cuda", name, compute.kind, total_bytes=total, architecture=architecture)


def _product_bandwidth() -> float:
    """Bytes a second that one row times a matrix too large for the caches reads."""
    import mlx.core as mx

    matrix, row = mx.ones((_SIDE, _SIDE)), mx.ones((1, _SIDE))
    mx.eval(matrix, row)
    mx.eval(row @ matrix.T)
    seconds: list[float] = []
    while len(seconds) < _MOST_ROUNDS:
        started = time.perf_counter()
        mx.eval(row @ matrix.T)
        seconds.append(time.perf_counter() - started)
        if len(seconds) >= _FEWEST_ROUNDS and sum(seconds) > _MOST_SECONDS:
            break
    read = matrix.nbytes
    del matrix, row
    mx.clear_cache()
    mx.reset_peak_memory()
    # The fastest round: other programs can only slow one down.
    return read / max(min(seconds), 1e-9)


def main() -> None:
    """Choose the matrix library, probe, remember and print."""
    die_with_parent()
    cache_dir = Path(sys.argv[1])
    compute = activate(cache_dir / "blas", sys.argv[2] if len(sys.argv) > 2 else None)
    device = probe_device(compute)
    remember_device(cache_dir, device)
    sys.stdout.write(msgspec.json.encode(device).decode() + "\n")


if __name__ == "__main__":
    main()
