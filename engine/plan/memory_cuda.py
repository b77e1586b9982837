"""Memory of the NVIDIA GPU that MLX computes on: from the driver's library, or `nvidia-smi`."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.plan.machine_room import whole_number

NVML = "libnvidia-ml.so.1"
_MIB = 1024**2
_SMI_SECONDS = 5.0
_SMI_QUERY = ("--query-gpu=memory.free,memory.total", "--format=csv,noheader,nounits")
_DEVICE_PREFIXES = ("GPU-", "MIG-")


@dataclass(frozen=True, slots=True)
class CudaMemory:
    """Bytes of one GPU."""

    free: int
    total: int


class _NvmlMemory(ctypes.Structure):
    """`nvmlMemory_t` of nvml.h."""

    _fields_ = (
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    )


def read_cuda_memory(library: str = NVML) -> CudaMemory | None:
    """The GPU's memory, None when neither the driver's library nor `nvidia-smi` tells."""
    selector = _first_device(os.environ.get("CUDA_VISIBLE_DEVICES", ""))
    return _from_library(library, selector) or _from_program(selector)


def _first_device(visible: str) -> str:
    """The device that CUDA calls 0, as a number or an identifier."""
    first = visible.split(",", maxsplit=1)[0].strip()
    is_known = whole_number(first) is not None or first.startswith(_DEVICE_PREFIXES)
    return first if is_known else "0"


def _from_library(name: str, selector: str) -> CudaMemory | None:
    try:
        library = ctypes.CDLL(name)
    except OSError:
        return None
    with _opened(library) as is_open:
        handle = ctypes.c_void_p()
        memory = _NvmlMemory()
        if not is_open or not _find_device(library, selector, handle):
            return None
        if library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) != 0:
            return None
    return _checked(int(memory.free), int(memory.total))


@contextlib.contextmanager
def _opened(library: ctypes.CDLL) -> Iterator[bool]:
    is_open = library.nvmlInit_v2() == 0
    try:
        yield is_open
    finally:
        if is_open:
            library.nvmlShutdown()


def _find_device(library: ctypes.CDLL, selector: str, handle: ctypes.c_void_p) -> bool:
    index = whole_number(selector)
    status: int
    if index is None:
        status = library.nvmlDeviceGetHandleByUUID(selector.encode(), ctypes.byref(handle))
    else:
        status = library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(handle))
    return status == 0


def _from_program(
    selector: str, find: Callable[[str], str | None] = shutil.which
) -> CudaMemory | None:
    program = find("nvidia-smi")
    if program is None:
        return None
    try:
        answer = subprocess.run(
            [program, *_SMI_QUERY, f"--id={selector}"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SMI_SECONDS,
            check=True,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    free, _, total = answer.stdout.strip().partition(",")
    free_mib, total_mib = whole_number(free), whole_number(total)
    if free_mib is None or total_mib is None:
        return None
    return _checked(free_mib * _MIB, total_mib * _MIB)


def _checked(free: int, total: int) -> CudaMemory | None:
    return CudaMemory(free, total) if 0 <= free <= total and total > 0 else None
