"""Asking NVIDIA's driver: a compiled stand-in for its library, a script for its program."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.plan.device import Device
from engine.plan.machine import cuda_machine, linux_machine
from engine.plan.memory_cuda import CudaMemory, read_cuda_memory

GIB = 1024**3
NO_LIBRARY = "libno-such-library-at-all.so.1"
CUDA = Device("cuda", "NVIDIA H200", "cuda", total_bytes=100 * GIB)

SOURCE = """
#include <string.h>
typedef struct { unsigned long long total, free, used; } memory;
static int opened = 0;
int nvmlInit_v2(void) { opened++; return INIT; }
int nvmlShutdown(void) { opened--; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  *device = (void *)(unsigned long long)(0x7f0000000000ULL + index);
  return index > 3 ? 2 : 0;
}
int nvmlDeviceGetHandleByUUID(const char *name, void **device) {
  *device = (void *)0x7f0000000007ULL;
  return strcmp(name, "GPU-seven") ? 2 : 0;
}
int nvmlDeviceGetMemoryInfo(void *device, memory *found) {
  unsigned long long number = (unsigned long long)device - 0x7f0000000000ULL;
  if (opened != 1) return 1;
  found->total = 100ULL << 30;
  found->free = (number + 1) << 32;
  return INFO;
}
"""

Build = Callable[..., str]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Compiles a library that answers as NVML does."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")

    def compiled(init: int = 0, info: int = 0) -> str:
        library = tmp_path / f"libnvidia-ml-{init}-{info}.so.1"
        source = tmp_path / "nvml.c"
        source.write_text(SOURCE, encoding="ascii")
        flags = ["-shared", "-fPIC", f"-DINIT={init}", f"-DINFO={info}"]
        subprocess.run([compiler, *flags, "-o", str(library), str(source)], check=True)
        return str(library)

    return compiled


@pytest.mark.parametrize(
    ("visible", "free"),
    [
        (None, 4 * GIB),
        ("", 4 * GIB),
        ("2,0", 12 * GIB),
        (" 1 ", 8 * GIB),
        ("GPU-seven", 32 * GIB),
        ("-1", 4 * GIB),
        ("no such thing", 4 * GIB),
    ],
)
def test_the_first_visible_device_is_asked(
    build: Build, monkeypatch: pytest.MonkeyPatch, visible: str | None, free: int
) -> None:
    if visible is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert read_cuda_memory(build()) == CudaMemory(free, 100 * GIB)


@pytest.mark.parametrize(("init", "info"), [(9, 0), (0, 3)])
def test_a_library_that_fails_leads_to_the_program(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, init: int, info: int
) -> None:
    install(tmp_path, monkeypatch, 'echo "2048, 4096"')
    assert read_cuda_memory(build(init, info)) == CudaMemory(2 * GIB, 4 * GIB)


def test_the_program_is_asked_about_the_right_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5")
    install(tmp_path, monkeypatch, 'case "$*" in *--id=5) echo "1, 2";; esac')
    assert read_cuda_memory(NO_LIBRARY) == CudaMemory(1024**2, 2 * 1024**2)


@pytest.mark.parametrize(
    "script", ["exit 9", "echo", 'echo "[N/A], [N/A]"', 'echo "5, 4"', 'echo "0, 0"', "echo 7"]
)
def test_a_program_that_does_not_tell(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, script)
    assert read_cuda_memory(NO_LIBRARY) is None


def test_without_library_and_program_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_cuda_memory(NO_LIBRARY) is None


def test_free_gpu_memory_binds(tmp_path: Path) -> None:
    machine = cuda_machine(CUDA, 3 * GIB, CudaMemory(7 * GIB, 100 * GIB), tmp_path)
    assert (machine.usable_bytes, machine.binding) == (10 * GIB, "free GPU memory")
    assert machine.available_bytes == 7 * GIB
    assert machine.squeeze_free_bytes == 10 * GIB
    assert machine.notes == ()


def test_without_a_figure_the_whole_gpu_counts_and_that_is_noted(tmp_path: Path) -> None:
    machine = cuda_machine(CUDA, 3 * GIB, None, tmp_path)
    assert (machine.usable_bytes, machine.binding) == (100 * GIB, "the GPU's memory")
    assert len(machine.notes) == 1


def test_a_gpu_that_shares_main_memory_is_planned_as_that(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemAvailable: 1024 kB\n", encoding="ascii")
    shared = Device("cuda", "NVIDIA GB10", "cuda")
    machine = cuda_machine(shared, 5, None, tmp_path)
    assert machine.usable_bytes == linux_machine(shared, 5, tmp_path).usable_bytes == 1024**2 + 5


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program of that name first on the path."""
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
