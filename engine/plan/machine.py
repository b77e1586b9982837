"""What a model may occupy in the engine process on this machine, right now."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from engine.plan.address_space import address_rooms
from engine.plan.device import Device
from engine.plan.machine_room import Room, smallest
from engine.plan.memory_cgroup import cgroup_rooms
from engine.plan.memory_cuda import CudaMemory, read_cuda_memory
from engine.plan.memory_linux import free_room, is_short_of_memory, read_linux_memory
from engine.plan.memory_macos import GpuFacts, MacMemory, read_gpu, read_mac_memory

LIMIT_BINDING = "the memory_limit setting"
_SYSTEM_ROOT = Path("/")


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


def measure_machine(
    device: Device,
    held_bytes: int = 0,
    limit_bytes: int | None = None,
    root: Path = _SYSTEM_ROOT,
) -> Machine:
    """Ask the system; cheap enough for once a second, and never raises.

    `held_bytes` is what the calling engine process holds for a model, `limit_bytes` the user's own
    ceiling. Another process asks with 0 and gets what a new engine process could use. `root` is
    where /proc and /sys are read.
    """
    if platform.system() == "Darwin":
        memory = read_mac_memory()
        gpu = read_gpu() if device.backend == "metal" else GpuFacts(None, None)
        machine = mac_machine(device, held_bytes, memory, gpu)
    elif device.backend == "cuda":
        machine = cuda_machine(device, held_bytes, read_cuda_memory(), root)
    else:
        machine = linux_machine(device, held_bytes, root)
    return with_limit(machine, limit_bytes)


def linux_machine(device: Device, held_bytes: int, root: Path) -> Machine:
    """A model in main memory: the smallest of free memory, cgroups and the process's limits."""
    notes: list[str] = []
    memory = read_linux_memory(root)
    free = free_room(memory)
    if free is None:
        notes.append("Free memory cannot be read from /proc/meminfo; psutil's figure is used.")
        free = Room(psutil.virtual_memory().available, "free memory")
    limits = (*cgroup_rooms(root, notes), *address_rooms(root, notes))
    room = smallest((free, *limits)) or free
    usable = room.bytes + held_bytes
    return Machine(
        device=device,
        usable_bytes=usable,
        available_bytes=free.bytes,
        binding=room.binding,
        is_squeezed=is_short_of_memory(root, memory),
        squeeze_free_bytes=usable,
        notes=tuple(notes),
    )


def cuda_machine(device: Device, held_bytes: int, memory: CudaMemory | None, root: Path) -> Machine:
    """A model on an NVIDIA GPU: what the driver says is free, else the device's whole memory."""
    main = linux_machine(device, held_bytes, root)
    if memory is not None:
        room = Room(memory.free, "free GPU memory")
        notes: tuple[str, ...] = ()
    elif device.total_bytes > 0:
        # Without the driver's figure what others hold is unknown, and so is what we hold of it.
        room = Room(max(device.total_bytes - held_bytes, 0), "the GPU's memory")
        notes = ("The GPU's free memory cannot be read, so what other programs hold is unknown.",)
    else:
        return replace(main, notes=(*main.notes, "The GPU does not tell its memory."))
    usable = room.bytes + held_bytes
    return replace(
        main,
        usable_bytes=usable,
        available_bytes=room.bytes,
        binding=room.binding,
        squeeze_free_bytes=usable,
        notes=notes,
    )


def mac_machine(device: Device, held_bytes: int, memory: MacMemory, gpu: GpuFacts) -> Machine:
    """A model on Metal: the recommended working set, less what other programs hold on the GPU.

    Free memory does not bind, because macOS makes room by compressing and swapping others; it is
    `squeeze_free_bytes`.
    """
    notes: list[str] = []
    free = memory.free + held_bytes
    if device.recommended_bytes > 0:
        others = 0 if gpu.in_use is None else max(gpu.in_use - held_bytes, 0)
        if gpu.in_use is None:
            notes.append("What other programs hold on the GPU cannot be read; nothing is assumed.")
        usable = max(device.recommended_bytes - others, 0)
        binding = "Metal's recommended working set"
    else:
        usable, binding = free, "free memory"
    if memory.wired_limit:
        notes.append(
            f"iogpu.wired_limit_mb is set to {memory.wired_limit // 1024**2} MiB until a reboot."
        )
    return Machine(
        device=device,
        usable_bytes=usable,
        available_bytes=memory.free,
        binding=binding,
        is_squeezed=memory.is_short,
        squeeze_free_bytes=min(usable, free),
        notes=tuple(notes),
    )


def with_limit(machine: Machine, limit_bytes: int | None) -> Machine:
    """The same machine under the user's own ceiling for the model."""
    if limit_bytes is None or limit_bytes >= machine.usable_bytes:
        return machine
    return replace(
        machine,
        usable_bytes=max(limit_bytes, 0),
        squeeze_free_bytes=min(machine.squeeze_free_bytes, max(limit_bytes, 0)),
        binding=LIMIT_BINDING,
    )
