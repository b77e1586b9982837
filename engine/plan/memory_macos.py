"""Memory as macOS tells it: what is free, whether it is short, what the GPU holds."""

from __future__ import annotations

import ctypes
import functools
import re
import resource
import struct
import subprocess
import time
from dataclasses import dataclass

import psutil

from engine.plan.machine_room import whole_number
from engine.plan.memory_linux import is_swapping

_WARNING = 2
"""kern.memorystatus_vm_pressure_level: 1 normal, 2 warning, 4 critical."""

_HOST_VM_INFO64 = 4
_VM_STATISTICS = struct.Struct("=4I9Q2I4Q4IQ")
"""`vm_statistics64` of mach/vm_statistics.h, first revision; every field is aligned as it is."""
_FREE, _SPECULATIVE, _PURGEABLE, _EXTERNAL = 0, 14, 13, 21

_MIB = 1024**2
_GPU_SECONDS = 5
_IOREG = ("/usr/sbin/ioreg", "-r", "-d", "1", "-w", "0", "-c", "IOAccelerator")
_IN_USE = re.compile(r'"In use system memory"=(\d{1,20})')
_CORES = re.compile(r'"gpu-core-count" = (\d{1,4})\b')


@dataclass(frozen=True, slots=True)
class MacMemory:
    """Bytes; None where macOS did not tell."""

    total: int
    free: int
    """Free pages, file pages and purgeable ones: what no program would have to compress or lose."""
    pressure_level: int | None
    swap_used: int
    wired_limit: int | None
    """iogpu.wired_limit_mb as bytes; 0 is the default policy."""

    @property
    def is_short(self) -> bool:
        """Whether macOS warns, or much is swapped out while little is free."""
        is_warned = self.pressure_level is not None and self.pressure_level >= _WARNING
        return is_warned or is_swapping(self.swap_used, self.free, self.total)


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """What the accelerator's driver tells of itself; None where it does not."""

    in_use: int | None
    """Memory that all programs together hold on the GPU."""
    cores: int | None


def read_mac_memory() -> MacMemory:
    """Ask the kernel; a few microseconds, so it can be asked every second."""
    memory = psutil.virtual_memory()
    wired = _sysctl("iogpu.wired_limit_mb")
    free = free_bytes(_vm_statistics(), resource.getpagesize())
    return MacMemory(
        total=memory.total,
        free=memory.available if free is None else min(free, memory.total),
        pressure_level=_sysctl("kern.memorystatus_vm_pressure_level"),
        swap_used=psutil.swap_memory().used,
        wired_limit=None if wired is None else wired * _MIB,
    )


def free_bytes(statistics: bytes, page: int) -> int | None:
    """Free, file-backed and purgeable memory out of a `vm_statistics64`; None if it is too short.

    Speculative pages are counted as free and as file pages by the kernel: they count once here.
    """
    if len(statistics) < _VM_STATISTICS.size:
        return None
    fields = _VM_STATISTICS.unpack_from(statistics)
    pages: int = fields[_FREE] - fields[_SPECULATIVE] + fields[_PURGEABLE] + fields[_EXTERNAL]
    return max(pages, 0) * page


def read_gpu() -> GpuFacts:
    """What the GPU's driver tells, at most five seconds old: asking it starts a program."""
    return _gpu_facts(int(time.monotonic() // _GPU_SECONDS))


@functools.lru_cache(maxsize=1)
def _gpu_facts(_moment: int) -> GpuFacts:
    try:
        answer = subprocess.run(
            _IOREG,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=2.0,
            check=True,
            stdin=subprocess.DEVNULL,
            close_fds=False,  # lets Python spawn without forking a process that runs Metal
        )
    except (OSError, subprocess.SubprocessError):
        return GpuFacts(None, None)
    return parse_gpu(answer.stdout)


def parse_gpu(text: str) -> GpuFacts:
    """The facts in the registry's listing of an accelerator."""
    in_use, cores = _IN_USE.search(text), _CORES.search(text)
    return GpuFacts(
        whole_number(in_use[1]) if in_use else None, whole_number(cores[1]) if cores else None
    )


@functools.cache
def _system() -> tuple[ctypes.CDLL, int]:
    library = ctypes.CDLL(None)
    library.mach_host_self.restype = ctypes.c_uint
    return library, library.mach_host_self()


def _vm_statistics() -> bytes:
    library, host = _system()
    buffer = ctypes.create_string_buffer(_VM_STATISTICS.size)
    count = ctypes.c_uint(_VM_STATISTICS.size // 4)
    status = library.host_statistics64(
        ctypes.c_uint(host), _HOST_VM_INFO64, buffer, ctypes.byref(count)
    )
    return buffer.raw if status == 0 else b""


def _sysctl(name: str) -> int | None:
    library, _ = _system()
    value = ctypes.c_uint64(0)
    size = ctypes.c_size_t(ctypes.sizeof(value))
    status = library.sysctlbyname(
        name.encode(), ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0)
    )
    return int(value.value) if status == 0 else None
