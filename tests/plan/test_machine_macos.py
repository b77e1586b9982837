"""What macOS's figures mean for a plan; the calls themselves need a Mac."""

import platform
import struct
from dataclasses import replace

import pytest

from engine.plan.device import Device
from engine.plan.machine import mac_machine, measure_machine
from engine.plan.memory_macos import GpuFacts, MacMemory, free_bytes, parse_gpu, read_mac_memory

GIB = 1024**3
MAX = Device(
    "metal", "Apple M4 Max", "metal", total_bytes=128 * GIB, recommended_bytes=115_448_725_504
)
MEMORY = MacMemory(total=128 * GIB, free=40 * GIB, pressure_level=1, swap_used=0, wired_limit=0)
IDLE = GpuFacts(in_use=0, cores=40)


def statistics(**counts: int) -> bytes:
    """A `vm_statistics64` in pages."""
    names = ["free", "active", "inactive", "wired"]
    names += [f"event{number}" for number in range(9)]
    names += ["purgeable", "speculative", "decompressed", "compressed", "swapins", "swapouts"]
    names += ["compressor", "throttled", "external", "internal", "uncompressed"]
    values = {name: counts.get(name, 1_000_000) for name in names}
    order = "=4I" + "9Q" + "2I" + "4Q" + "4I" + "Q"
    return struct.pack(order, *values.values())


def test_free_purgeable_and_file_pages_count_once() -> None:
    raw = statistics(free=700, speculative=200, purgeable=30, external=4)
    assert len(raw) == 152
    assert free_bytes(raw, 16_384) == (700 - 200 + 30 + 4) * 16_384


def test_odd_statistics_give_no_nonsense() -> None:
    assert free_bytes(b"", 16_384) is None
    assert free_bytes(bytes(151), 16_384) is None
    assert free_bytes(statistics(free=0, speculative=9, purgeable=0, external=0), 4096) == 0


def test_the_accelerators_listing_is_read() -> None:
    listing = (
        "+-o AGXAcceleratorG16X  <class AGXAcceleratorG16X, id 0x1000004f2, registered>\n"
        '    "gpu-core-count" = 40\n'
        '    "PerformanceStatistics" = {"In use system memory (driver)"=0,'
        '"Alloc system memory"=9013952512,"Tiler Utilization %"=7,'
        '"In use system memory"=1098596352,"Device Utilization %"=3}\n'
    )
    assert parse_gpu(listing) == GpuFacts(1_098_596_352, 40)
    assert parse_gpu("") == GpuFacts(None, None)
    assert parse_gpu('"gpu-core-count" = 99999999\n"In use system memory"=many') == GpuFacts(
        None, None
    )


@pytest.mark.parametrize(
    ("gpu", "held", "usable"),
    [
        (IDLE, 0, 115_448_725_504),
        (GpuFacts(10 * GIB, 40), 0, 115_448_725_504 - 10 * GIB),
        (GpuFacts(10 * GIB, 40), 10 * GIB, 115_448_725_504),
        (GpuFacts(10 * GIB, 40), 4 * GIB, 115_448_725_504 - 6 * GIB),
        (GpuFacts(1 * GIB, 40), 4 * GIB, 115_448_725_504),
        (GpuFacts(500 * GIB, 40), 0, 0),
    ],
)
def test_what_others_hold_on_the_gpu_is_taken_off(gpu: GpuFacts, held: int, usable: int) -> None:
    machine = mac_machine(MAX, held, MEMORY, gpu)
    assert machine.usable_bytes == usable
    assert machine.binding == "Metal's recommended working set"
    assert machine.squeeze_free_bytes == min(usable, 40 * GIB + held)
    assert machine.available_bytes == 40 * GIB
    assert machine.notes == ()


def test_what_cannot_be_read_is_noted() -> None:
    machine = mac_machine(MAX, 0, MEMORY, GpuFacts(None, None))
    assert machine.usable_bytes == MAX.recommended_bytes
    assert "cannot be read" in machine.notes[0]
    raised = mac_machine(MAX, 0, replace(MEMORY, wired_limit=100 * GIB), IDLE)
    assert "102400 MiB" in raised.notes[0]


def test_without_a_working_set_free_memory_binds() -> None:
    cpu = Device("cpu", "Intel", "reference")
    machine = mac_machine(cpu, 5, MEMORY, GpuFacts(0, None))
    assert (machine.usable_bytes, machine.binding) == (40 * GIB + 5, "free memory")


@pytest.mark.parametrize(
    ("memory", "is_squeezed"),
    [
        (MEMORY, False),
        (replace(MEMORY, pressure_level=2), True),
        (replace(MEMORY, pressure_level=4), True),
        (replace(MEMORY, pressure_level=None), False),
        (replace(MEMORY, swap_used=8 * GIB), True),
        (replace(MEMORY, swap_used=8 * GIB, free=60 * GIB), False),
        (replace(MEMORY, swap_used=GIB // 2), False),
    ],
)
def test_pressure_or_swap_with_little_free_squeezes(memory: MacMemory, is_squeezed: bool) -> None:
    assert mac_machine(MAX, 0, memory, IDLE).is_squeezed is is_squeezed


@pytest.mark.skipif(platform.system() != "Darwin", reason="asks macOS itself")
def test_this_mac_is_measured() -> None:
    memory = read_mac_memory()
    assert 0 < memory.free < memory.total
    assert memory.pressure_level in {1, 2, 4}
    machine = measure_machine(replace(MAX, recommended_bytes=memory.total * 2 // 3))
    assert 0 < machine.usable_bytes < memory.total
