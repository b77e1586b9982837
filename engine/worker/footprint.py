"""Memory of this process as the operating system bills it."""

from __future__ import annotations

import ctypes
import os
import sys

import psutil

_RUSAGE_INFO_V0 = 0


class _RusageInfo(ctypes.Structure):
    """`struct rusage_info_v0` of macOS's sys/resource.h."""

    _fields_ = (
        ("uuid", ctypes.c_uint8 * 16),
        ("user_time", ctypes.c_uint64),
        ("system_time", ctypes.c_uint64),
        ("package_idle_wakeups", ctypes.c_uint64),
        ("interrupt_wakeups", ctypes.c_uint64),
        ("pageins", ctypes.c_uint64),
        ("wired_size", ctypes.c_uint64),
        ("resident_size", ctypes.c_uint64),
        ("physical_footprint", ctypes.c_uint64),
        ("start_abstime", ctypes.c_uint64),
        ("exit_abstime", ctypes.c_uint64),
    )


def process_bytes() -> int:
    """Bytes this process costs: the physical footprint on macOS, resident memory elsewhere.

    macOS's resident size leaves out compressed pages (ml-explore/mlx-lm#1807).
    """
    if sys.platform == "darwin":
        info = _RusageInfo()
        system = ctypes.CDLL(None)
        if system.proc_pid_rusage(os.getpid(), _RUSAGE_INFO_V0, ctypes.byref(info)) == 0:
            return int(info.physical_footprint)
    return int(psutil.Process().memory_info().rss)
