import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from engine.worker.blas import verdict
from engine.worker.blas.compilation import compiled_shim
from engine.worker.blas.library import find_libraries
from engine.worker.blas.verdict import verdict_on
from tests.blas.toy_blas import activated, compile_toy

pytestmark = pytest.mark.xdist_group("blas")

Found = TypeVar("Found")

PARENT = """
import sys
from pathlib import Path
from engine.worker.blas.verdict import verdict_on
verdict_on(Path(sys.argv[1]), Path(sys.argv[2]), 1, None)
"""


@pytest.mark.parametrize(
    ("variant", "fault"),
    [
        ("sum += 1", "a wrong product"),
        ("if (m > 8 && k > 100) sum += 1", "a wrong product"),
        ("if (beta == 0) sum += *to", "a wrong product"),
        ("if (ldc > n) c[n] = 1", "a stray write"),
    ],
)
@pytest.mark.parametrize("has_shim", [True, False], ids=["shimmed", "alone"])
def test_wrong_library_is_found_out(
    tmp_path: Path, shared_cache: Path, variant: str, fault: str, has_shim: bool
) -> None:
    library = compile_toy(tmp_path, variant)
    shim = compiled_shim(shared_cache) if has_shim else None
    assert fault in verdict_on(shared_cache, library, 2, shim)


def test_wrong_library_leaves_the_reference_in_place(tmp_path: Path) -> None:
    library = compile_toy(tmp_path, "sum += 1")
    maps = "seen = open('/proc/self/maps').read()"
    answer = activated(tmp_path / "cache", str(library), then=maps)
    assert (answer["kind"], answer["is_fast"]) == ("reference", False)
    assert "failed its self-test: a wrong product" in str(answer["reason"])
    assert "ZIB_BLAS" in str(answer["advice"])
    assert str(library) not in str(answer["seen"])
    assert "shim-" not in str(answer["seen"])


def test_crashing_library_is_survived_and_tried_again(tmp_path: Path) -> None:
    cache, library = tmp_path / "cache", compile_toy(tmp_path, "abort()")
    answer = activated(cache, str(library))
    assert answer["kind"] == "reference"
    assert "status -6" in str(answer["reason"])
    assert not list(cache.glob("verdict-*"))


def test_another_library_in_front_is_noticed(tmp_path: Path, shared_cache: Path) -> None:
    intruder = compile_toy(tmp_path, name="libintruder.so")
    answer = activated(shared_cache, LD_PRELOAD=str(intruder))
    assert answer["kind"] == "reference"
    assert "comes first" in str(answer["reason"])


def test_time_limit(tmp_path: Path, shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "TIME_LIMIT_SECONDS", 2)
    library = compile_toy(tmp_path, "for (;;) sleep(1)")
    before = set(shared_cache.iterdir())
    assert "did not finish" in verdict_on(shared_cache, library, 1, None)
    assert set(shared_cache.iterdir()) == before


def test_child_dies_with_its_parent(tmp_path: Path, shared_cache: Path) -> None:
    library = compile_toy(tmp_path, "for (;;) sleep(1)")
    arguments = [sys.executable, "-P", "-c", PARENT, str(shared_cache), str(library)]
    parent = subprocess.Popen(arguments)
    children = _wait_for(lambda: psutil.Process(parent.pid).children(recursive=True))
    _wait_for(lambda: any(str(library) in file.path for file in children[0].memory_maps()))
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    gone, alive = psutil.wait_procs(children, timeout=5)
    assert (len(gone), alive) == (1, [])


def test_damaged_verdict_is_only_a_miss(tmp_path: Path, shared_cache: Path) -> None:
    library = compile_toy(tmp_path)
    assert verdict_on(shared_cache, library, 1, None) == ""
    newest = max(shared_cache.glob("verdict-*"), key=lambda path: path.stat().st_mtime_ns)
    newest.write_bytes(b'{"fault": 3')
    assert verdict_on(shared_cache, library, 1, None) == ""
    assert newest.read_bytes() == b'{"fault":""}'


def test_no_library_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from engine.worker.blas import library as search
    from engine.worker.blas.unavailable import BlasUnavailable

    monkeypatch.setattr(search, "_WHEEL", "no_such_wheel")
    monkeypatch.setattr(search, "_SYSTEM_FOLDERS", (str(tmp_path),))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    with pytest.raises(BlasUnavailable, match="no OpenBLAS") as caught:
        find_libraries(None)
    assert "pip install scipy-openblas32" in caught.value.advice


def _wait_for(look: Callable[[], Found]) -> Found:
    """The first non-empty answer within half a minute."""
    end = time.monotonic() + 30
    while not (found := look()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return found
