"""The parsers of /proc and of control groups, on written trees and on this very system."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.plan.device import Device
from engine.plan.machine import LIMIT_BINDING, Machine, linux_machine, measure_machine, with_limit

CPU = Device("cpu", "test", "openblas")
GIB = 1024**3
FREE = 8 * GIB
NO_V1_LIMIT = 9_223_372_036_854_771_712
Tree = Mapping[str, str | int]

MEMINFO = f"MemTotal: {16 * GIB // 1024} kB\nMemAvailable: {FREE // 1024} kB\n"
V1_MOUNT = "35 31 0:32 {top} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
V2_MOUNT = "41 31 0:38 {top} {point} rw,relatime shared:9 - cgroup2 cgroup2 rw\n"


def write(root: Path, tree: Tree) -> Path:
    """The files, at their places under the root."""
    for name, content in {"proc/meminfo": MEMINFO, **tree}.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n", errors="surrogateescape")
    return root


def v2(path: str, top: str = "/", point: str = "/sys/fs/cgroup", **files: Tree) -> Tree:
    """A version 2 tree; `files` maps a folder's name (`_` for /) to its files."""
    tree: dict[str, str | int] = {
        "proc/self/cgroup": f"0::{path}",
        "proc/self/mountinfo": V2_MOUNT.format(top=top, point=point.replace(" ", r"\040")),
    }
    for folder, content in files.items():
        place = folder.replace("_", "/")
        tree |= {f"{point}{place}/{name}".lstrip("/"): value for name, value in content.items()}
    return tree


def v1(path: str, top: str = "/", **files: Tree) -> Tree:
    """A version 1 tree, given as `v2`'s."""
    tree: dict[str, str | int] = {
        "proc/self/cgroup": f"5:cpu,cpuacct:/\n4:memory:{path}\n0::/",
        "proc/self/mountinfo": V1_MOUNT.format(top=top),
    }
    for folder, content in files.items():
        place = folder.replace("_", "/")
        tree |= {f"sys/fs/cgroup/memory{place}/{name}": value for name, value in content.items()}
    return tree


def group(limit: object, used: object, **more: object) -> Tree:
    """A version 2 group's files."""
    extra = {name.replace("memory_", "memory."): str(value) for name, value in more.items()}
    return {"memory.max": str(limit), "memory.current": str(used), **extra}


def old_group(limit: object, used: object, **more: object) -> Tree:
    """A version 1 group's files."""
    extra = {name.replace("memory_", "memory."): str(value) for name, value in more.items()}
    return {
        "memory.limit_in_bytes": str(limit),
        "memory.usage_in_bytes": str(used),
        **extra,
    }


def limits(data: object, address: object) -> str:
    """Two lines of /proc/self/limits."""
    return (
        f"Max data size             {data}            unlimited            bytes     \n"
        f"Max address space         {address}            unlimited            bytes     "
    )


CASES: Mapping[str, tuple[Tree, int, str]] = {
    "no groups at all": ({}, FREE, "free memory"),
    "v2 without a limit": (v2("/a", _a=group("max", GIB)), FREE, "free memory"),
    "v2 limit": (v2("/a", _a=group(3 * GIB, GIB)), 2 * GIB, "the memory cgroup /a"),
    "v2 high is a limit too": (
        v2("/a", _a=group("max", GIB, memory_high=2 * GIB)),
        GIB,
        "the memory cgroup /a",
    ),
    "v2 page cache counts as free": (
        v2("/a", _a=group(3 * GIB, 2 * GIB, memory_stat=f"anon 5\ninactive_file {GIB}")),
        2 * GIB,
        "the memory cgroup /a",
    ),
    "v2 page cache is at most what is used": (
        v2("/a", _a=group(3 * GIB, GIB, memory_stat=f"inactive_file {9 * GIB}")),
        3 * GIB,
        "the memory cgroup /a",
    ),
    "v2 limit of an ancestor": (
        v2("/a/b", _a=group(2 * GIB, GIB), _a_b=group("max", 5)),
        GIB,
        "the memory cgroup /a",
    ),
    "v2 the smallest of three": (
        v2("/a/b", _=group(7 * GIB, 0), _a=group(6 * GIB, 0), _a_b=group(5 * GIB, 0)),
        5 * GIB,
        "the memory cgroup /a/b",
    ),
    "v2 in a namespace: the top is our group": (
        v2("/", top="/../../pod", _=group(GIB, 0)),
        GIB,
        "the memory cgroup /",
    ),
    "v2 outside the namespace": (
        v2("/../other", _=group(GIB, 0)),
        GIB,
        "the memory cgroup /",
    ),
    "v2 over the limit": (v2("/a", _a=group(GIB, 3 * GIB)), 0, "the memory cgroup /a"),
    "v2 zero is a limit": (v2("/a", _a=group(0, 0)), 0, "the memory cgroup /a"),
    "v2 a deleted group": (
        v2("/a/gone (deleted)", _a=group(GIB, 0)),
        GIB,
        "the memory cgroup /a",
    ),
    "v2 mounted elsewhere, with a blank": (
        v2("/a", point="/my groups", _a=group(GIB, 0)),
        GIB,
        "the memory cgroup /a",
    ),
    "v2 without a table of mounts": (
        {**v2("/a", _a=group(GIB, 0)), "proc/self/mountinfo": ""},
        GIB,
        "the memory cgroup /a",
    ),
    "v1 without a limit": (v1("/a", _a=old_group(NO_V1_LIMIT, GIB)), FREE, "free memory"),
    "v1 limit": (v1("/a", _a=old_group(3 * GIB, GIB)), 2 * GIB, "the memory cgroup /a"),
    "v1 memory and swap together": (
        v1(
            "/a",
            _a=old_group(
                4 * GIB,
                GIB,
                **{"memory_memsw.limit_in_bytes": 3 * GIB, "memory_memsw.usage_in_bytes": GIB},
            ),
        ),
        2 * GIB,
        "the memory cgroup /a",
    ),
    "v1 page cache of all groups below": (
        v1(
            "/a",
            _a=old_group(
                3 * GIB, 2 * GIB, memory_stat=f"inactive_file 5\ntotal_inactive_file {GIB}"
            ),
        ),
        2 * GIB,
        "the memory cgroup /a",
    ),
    "v1 in a container that sees its own group as the top": (
        v1("/docker/abc", top="/docker/abc", _=old_group(GIB, 0)),
        GIB,
        "the memory cgroup /",
    ),
    "v1 below the container's own group": (
        v1("/docker/abc/x", top="/docker/abc", _x=old_group(GIB, 0), _=old_group(2 * GIB, 0)),
        GIB,
        "the memory cgroup /x",
    ),
    "v1 a path that cannot be seen": (
        v1("/docker/abc", _=old_group(GIB, 0)),
        GIB,
        "the memory cgroup /",
    ),
    "v1 a smaller limit above what can be seen": (
        v1(
            "/a",
            top="/a",
            _=old_group(NO_V1_LIMIT, GIB, memory_stat=f"hierarchical_memory_limit {3 * GIB}"),
        ),
        2 * GIB,
        "a group above the memory cgroup /",
    ),
    "v1 the limit above is one that can be seen": (
        v1(
            "/a/b",
            _=old_group(NO_V1_LIMIT, 15 * GIB),
            _a=old_group(3 * GIB, GIB),
            _a_b=old_group(NO_V1_LIMIT, GIB, memory_stat=f"hierarchical_memory_limit {3 * GIB}"),
        ),
        2 * GIB,
        "the memory cgroup /a",
    ),
    "both versions at once": (
        {
            **v1("/a", _a=old_group(2 * GIB, 0)),
            "proc/self/mountinfo": V1_MOUNT.format(top="/")
            + V2_MOUNT.format(top="/", point="/sys/fs/cgroup/unified"),
            "sys/fs/cgroup/unified/cgroup.controllers": "",
        },
        2 * GIB,
        "the memory cgroup /a",
    ),
    "address space": (
        {
            "proc/self/limits": limits("unlimited", 3 * GIB),
            "proc/self/status": f"VmSize:\t {GIB // 1024} kB",
        },
        2 * GIB,
        "the address-space limit (ulimit -v)",
    ),
    "data segment": (
        {
            "proc/self/limits": limits(3 * GIB, "unlimited"),
            "proc/self/status": f"VmSize:\t 9 kB\nVmData:\t {GIB // 1024} kB",
        },
        2 * GIB,
        "the data-segment limit (ulimit -d)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_smallest_limit_binds(name: str, tmp_path: Path) -> None:
    tree, room, binding = CASES[name]
    machine = linux_machine(CPU, 0, write(tmp_path, tree))
    assert (machine.usable_bytes, machine.binding) == (room, binding)
    assert machine.available_bytes == FREE
    assert machine.notes == ()
    assert linux_machine(CPU, 77, tmp_path).usable_bytes == room + 77


MALFORMED: Mapping[str, tuple[Tree, str]] = {
    "v2 limit of words": (v2("/a", _a=group("lots", 0)), "memory.max"),
    "v2 negative": (v2("/a", _a=group("-5", 0)), "memory.max"),
    "v2 empty": (v2("/a", _a=group("", 0)), "memory.max"),
    "v2 endless digits": (v2("/a", _a=group("9" * 5000, 0)), "memory.max"),
    "v2 other digits": (v2("/a", _a=group("١٢٣", 0)), "memory.max"),
    "v2 use unknown": (v2("/a", _a=group(GIB, "?")), "use of the memory cgroup /a"),
    "v1 limit of words": (v1("/a", _a=old_group("none", 0)), "memory.limit_in_bytes"),
    "address space of words": (
        {"proc/self/limits": limits("unlimited", "many")},
        "ulimit -v",
    ),
    "address space without use": (
        {"proc/self/limits": limits("unlimited", 5000)},
        "VmSize",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_is_no_limit_and_noted(name: str, tmp_path: Path) -> None:
    tree, words = MALFORMED[name]
    machine = linux_machine(CPU, 0, write(tmp_path, tree))
    assert (machine.usable_bytes, machine.binding) == (FREE, "free memory")
    assert any(words in note for note in machine.notes)


def test_a_name_that_could_steer_a_terminal_is_made_harmless(tmp_path: Path) -> None:
    folder = "\x1b[2Jé"
    machine = linux_machine(
        CPU,
        0,
        write(
            tmp_path,
            {
                **v2(f"/{folder}"),
                f"sys/fs/cgroup/{folder}/memory.max": GIB,
                f"sys/fs/cgroup/{folder}/memory.current": 0,
            },
        ),
    )
    assert machine.binding == "the memory cgroup /?[2Jé"


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    (write(tmp_path, v2("/a")) / "sys/fs/cgroup/a/memory.max").mkdir(parents=True)
    assert linux_machine(CPU, 0, tmp_path).usable_bytes == FREE


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(
            [
                "proc/meminfo",
                "proc/self/cgroup",
                "proc/self/mountinfo",
                "proc/self/limits",
                "proc/self/status",
                "proc/pressure/memory",
                "sys/fs/cgroup/memory.max",
                "sys/fs/cgroup/memory.current",
                "sys/fs/cgroup/memory.stat",
            ]
        ),
        st.one_of(
            st.binary(max_size=80),
            st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace")),
            st.lists(
                st.sampled_from(
                    [
                        "0::/",
                        "4:memory:/",
                        "..",
                        "\0",
                        " - ",
                        "cgroup2",
                        "MemAvailable:",
                        " kB",
                        "9",
                    ]
                ),
                max_size=9,
            ).map(lambda words: "".join(words).encode()),
        ),
    )
)
def test_nothing_raises_whatever_the_files_hold(tmp_path: Path, files: Mapping[str, bytes]) -> None:
    write(tmp_path, {})
    for name, content in files.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    machine = linux_machine(CPU, 5, tmp_path)
    assert machine.usable_bytes >= 5


def test_an_empty_system_falls_back_on_what_psutil_finds(tmp_path: Path) -> None:
    machine = linux_machine(CPU, 0, tmp_path)
    assert 0 < machine.usable_bytes <= psutil.virtual_memory().total
    assert "psutil" in machine.notes[0]


@pytest.mark.parametrize(
    ("lines", "is_short"),
    [
        ("SwapTotal: 9000000 kB\nSwapFree: 9000000 kB", False),
        ("SwapTotal: 9000000 kB\nSwapFree: 8000000 kB", True),
        ("SwapTotal: 9000000 kB\nSwapFree: 8000000 kB\nSwapCached: 900000 kB", False),
        ("SwapTotal: 9000000 kB\nSwapFree: 8600000 kB", False),
        ("SwapTotal: 9000000 kB", False),
        ("SwapTotal: much kB\nSwapFree: 0 kB", False),
    ],
)
def test_swap_matters_when_little_is_free(lines: str, is_short: bool, tmp_path: Path) -> None:
    little = f"MemTotal: 16000000 kB\nMemAvailable: 5000000 kB\n{lines}"
    plenty = f"MemTotal: 16000000 kB\nMemAvailable: 6000000 kB\n{lines}"
    assert linux_machine(CPU, 0, write(tmp_path, {"proc/meminfo": little})).is_squeezed is is_short
    assert not linux_machine(CPU, 0, write(tmp_path, {"proc/meminfo": plenty})).is_squeezed


@pytest.mark.parametrize(
    ("stalled", "is_short"), [("0.00", False), ("9.99", False), ("10.00", True)]
)
def test_pressure_matters_alone(stalled: str, is_short: bool, tmp_path: Path) -> None:
    text = f"some avg10={stalled} avg60=50.00 avg300=0.00 total=1\nfull avg10=99.00 avg60=0.00"
    tree = write(tmp_path, {"proc/pressure/memory": text})
    assert linux_machine(CPU, 0, tree).is_squeezed is is_short


def test_a_kernel_without_available_counts_free_and_page_cache(tmp_path: Path) -> None:
    lines = "MemFree: 100 kB\nBuffers: 20 kB\nCached: 50 kB\nShmem: 30 kB"
    assert (
        linux_machine(CPU, 0, write(tmp_path, {"proc/meminfo": lines})).usable_bytes == 140 * 1024
    )


@pytest.mark.parametrize(
    ("limit", "usable", "binding"),
    [
        (None, 100, "free memory"),
        (200, 100, "free memory"),
        (100, 100, "free memory"),
        (60, 60, LIMIT_BINDING),
        (-5, 0, LIMIT_BINDING),
    ],
)
def test_the_users_limit_only_lowers(limit: int | None, usable: int, binding: str) -> None:
    machine = with_limit(Machine(CPU, 100, 90, "free memory", squeeze_free_bytes=80), limit)
    assert (machine.usable_bytes, machine.binding) == (usable, binding)
    assert machine.squeeze_free_bytes == min(80, usable)
    assert machine.available_bytes == 90


CHILD = """
import resource, sys
from pathlib import Path
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(getattr(resource, sys.argv[2]), (limit, limit))
from engine.plan.device import Device
from engine.plan.machine import measure_machine
machine = measure_machine(Device("cpu", "test", "openblas"))
print(machine.usable_bytes, machine.binding, sep="|")
"""

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux tells them")


def measure_in_child(
    limit: int = 0, kind: str = "RLIMIT_AS", before: Callable[[], None] | None = None
) -> tuple[int, str]:
    """What a process of its own finds."""
    answer = subprocess.run(
        [sys.executable, "-c", CHILD, str(limit), kind],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=before,
        timeout=60,
    )
    usable, binding = answer.stdout.strip().split("|")
    return int(usable), binding


@only_linux
@pytest.mark.parametrize(
    ("kind", "binding"),
    [
        ("RLIMIT_AS", "the address-space limit (ulimit -v)"),
        ("RLIMIT_DATA", "the data-segment limit (ulimit -d)"),
    ],
)
def test_a_child_under_ulimit_sees_the_smaller_limit(kind: str, binding: str) -> None:
    free, _ = measure_in_child()
    limit = 400 * 1024**2
    usable, found = measure_in_child(limit, kind)
    assert found == binding
    assert limit // 2 < usable < limit < free


@pytest.fixture
def own_group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A fresh memory cgroup of version 1 or 2 below our own, and its name."""
    name = f"zib-test-{os.getpid()}"
    folder = _make_group(name)
    if folder is None:
        pytest.skip("this system lets us make no memory cgroup")
    yield folder, name
    folder.rmdir()


def _make_group(name: str) -> Path | None:
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        for line in lines:
            number, controllers, path = line.split(":", 2)
            if "memory" in controllers.split(","):
                folder, limit = Path(f"/sys/fs/cgroup/memory{path}") / name, "memory.limit_in_bytes"
            elif number == "0" and not controllers:
                folder, limit = Path(f"/sys/fs/cgroup{path}") / name, "memory.max"
            else:
                continue
            if not folder.parent.is_dir():
                continue
            folder.mkdir()
            try:
                (folder / limit).write_text(str(512 * 1024**2), encoding="ascii")
            except OSError:
                folder.rmdir()
                continue
            return folder
    except OSError:
        return None
    return None


@only_linux
def test_a_child_in_a_real_memory_cgroup_sees_the_smaller_limit(
    own_group: tuple[Path, str],
) -> None:
    folder, name = own_group
    members = folder / "cgroup.procs"

    def join() -> None:
        members.write_text(str(os.getpid()), encoding="ascii")

    usable, binding = measure_in_child(before=join)
    assert binding.startswith("the memory cgroup /")
    assert binding.endswith(name)
    assert 256 * 1024**2 < usable < 512 * 1024**2


@only_linux
def test_this_system_is_measured() -> None:
    machine = measure_machine(CPU, held_bytes=1000)
    assert 1000 < machine.usable_bytes <= machine.available_bytes + 1000
    assert machine.notes == ()
    assert measure_machine(CPU, 1000, limit_bytes=2000).usable_bytes == 2000
