"""Choosing how matrix products are computed, before MLX is imported."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from engine.compute import ComputePath
from engine.worker.blas.compilation import compiled_shim
from engine.worker.blas.library import find_libraries, repair_advice
from engine.worker.blas.loading import load_plain, load_shim
from engine.worker.blas.private_folder import ensure_private_folder
from engine.worker.blas.threads import product_threads
from engine.worker.blas.unavailable import BlasUnavailable
from engine.worker.blas.verdict import verdict_on

_CUDA_WHEELS = ("mlx-cuda-13", "mlx-cuda-12", "mlx-cuda")
_CUDA_DEVICES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg")


def activate(cache_dir: Path, setting: str | None, threads: int | None = None) -> ComputePath:
    """Put the fastest working matrix library under MLX and say which it is.

    `cache_dir` is a folder of this account only, made when missing. `setting` is ZIB_BLAS: `off`,
    a library's path, or None for an automatic search; `threads` None means as many as pay. Must
    run before `mlx.core` is imported.
    Never raises: what does not work leads to MLX's reference BLAS with reason and advice.
    """
    if sys.platform == "darwin":
        return ComputePath("metal", "", "Apple's Metal computes on the GPU")
    cuda = _cuda_wheel()
    if cuda:
        return ComputePath("cuda", "", f"{cuda} is installed and an NVIDIA device is present")
    if setting == "off":
        return _reference("ZIB_BLAS is off", "Unset ZIB_BLAS for the fast path.")
    if "mlx.core" in sys.modules:
        return _reference("MLX was imported before its matrix library was chosen", "Restart.")
    try:
        libraries = find_libraries(setting)
        ensure_private_folder(cache_dir)
    except BlasUnavailable as error:
        return _reference(error.reason, error.advice)
    return _first_working(cache_dir, libraries, threads or _inherited() or product_threads())


def _inherited() -> int | None:
    """What the user asks of every program that uses OpenBLAS."""
    text = os.environ.get("OPENBLAS_NUM_THREADS", "")
    return int(text) if text.isdecimal() and int(text) > 0 else None


def _first_working(folder: Path, libraries: tuple[Path, ...], threads: int) -> ComputePath:
    """Try each library behind the shim, then each alone; the first obstacle is the one to name."""
    # Read by OpenBLAS when it is loaded, numpy's own copy included.
    os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
    obstacles: list[BlasUnavailable] = []
    for way in (_behind_shim, _alone):
        for library in libraries:
            try:
                path = way(folder, library, threads)
            except BlasUnavailable as obstacle:
                obstacles.append(obstacle)
                continue
            if path.kind == "openblas-shim":
                return path
            return replace(path, reason=obstacles[0].reason, advice=obstacles[0].advice)
    return _reference(obstacles[0].reason, obstacles[0].advice)


def _behind_shim(folder: Path, library: Path, threads: int) -> ComputePath:
    shim = compiled_shim(folder)
    _require_right(folder, library, threads, shim)
    load_shim(shim, library, threads)
    reason = f"passed its self-test with {threads} thread{'s' * (threads > 1)}"
    return ComputePath("openblas-shim", str(library), reason)


def _alone(folder: Path, library: Path, threads: int) -> ComputePath:
    _require_right(folder, library, threads, None)
    load_plain(library)
    return ComputePath("openblas", str(library), "")


def _require_right(folder: Path, library: Path, threads: int, shim: Path | None) -> None:
    fault = verdict_on(folder, library, threads, shim)
    if fault:
        raise BlasUnavailable(f"{library} failed its self-test: {fault}", repair_advice(library))


def _cuda_wheel() -> str:
    """The installed CUDA build of MLX, empty without one or without a device to run it."""
    if not any(Path(device).exists() for device in _CUDA_DEVICES):
        return ""
    for name in _CUDA_WHEELS:
        try:
            return f"{name} {distribution(name).version}"
        except PackageNotFoundError:
            continue
    return ""


def _reference(reason: str, advice: str) -> ComputePath:
    return ComputePath("reference", "", reason, advice)
