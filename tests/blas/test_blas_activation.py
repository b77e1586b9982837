import os
import shutil
import stat
from pathlib import Path

import pytest

from engine.worker.blas.private_folder import ensure_private_folder
from engine.worker.blas.unavailable import BlasUnavailable
from tests.blas.toy_blas import activated, compile_toy

pytestmark = pytest.mark.xdist_group("blas")

PRODUCT_THROUGH_MLX = """
import ctypes
counter = ctypes.CDLL(None).zib_blas_calls
counter.restype = ctypes.c_ulong
import mlx.core as mx
before = counter()
mx.eval(mx.ones((1, 32)) @ mx.ones((32, 8)), mx.ones((40, 32)) @ mx.ones((32, 8)))
seen = counter() - before
"""


def test_shim_serves_mlx(shared_cache: Path) -> None:
    answer = activated(shared_cache, then=PRODUCT_THROUGH_MLX)
    assert answer["kind"] == "openblas-shim"
    assert "libscipy_openblas" in str(answer["library"])
    assert answer["is_fast"]
    assert answer["advice"] == ""
    assert answer["seen"] == 2


def test_off_loads_nothing_and_makes_no_folder(tmp_path: Path) -> None:
    maps = 'seen = open("/proc/self/maps").read()'
    answer = activated(tmp_path / "cache", "off", then=maps)
    assert "openblas" not in str(answer["seen"])
    assert (answer["kind"], answer["is_fast"]) == ("reference", False)
    assert answer["reason"] == "ZIB_BLAS is off"
    assert not (tmp_path / "cache").exists()


def test_missing_library_is_named_and_nothing_else_is_searched(tmp_path: Path) -> None:
    answer = activated(tmp_path / "cache", "/no/such/libopenblas.so")
    assert answer["kind"] == "reference"
    assert "/no/such/libopenblas.so" in str(answer["reason"])
    assert "ZIB_BLAS" in str(answer["advice"])


def test_file_that_is_no_library(tmp_path: Path) -> None:
    library = tmp_path / "libopenblas.so"
    library.write_text("not a library")
    answer = activated(tmp_path / "cache", str(library))
    assert answer["kind"] == "reference"
    assert str(library) in str(answer["reason"])


def test_mlx_imported_too_early(tmp_path: Path) -> None:
    again = "import mlx.core\nfrom pathlib import Path\nfrom engine.worker.blas import activate\n"
    again += f"seen = activate(Path({str(tmp_path / 'cache')!r}), None).reason"
    assert "imported before" in str(activated(tmp_path / "unused", "off", then=again)["seen"])


def test_without_compiler_a_plain_library_is_loaded_alone(tmp_path: Path) -> None:
    library = compile_toy(tmp_path)
    symbol = "import ctypes, sys\nseen = bool(ctypes.CDLL(None).cblas_sgemm)"
    answer = activated(tmp_path / "cache", str(library), then=symbol, PATH=str(tmp_path))
    assert (answer["kind"], answer["is_fast"]) == ("openblas", True)
    assert answer["library"] == str(library)
    assert answer["reason"] == "there is no C compiler"
    assert "gcc" in str(answer["advice"])
    assert answer["seen"] is True


def test_without_compiler_a_prefixed_library_is_no_use(tmp_path: Path) -> None:
    answer = activated(tmp_path / "cache", PATH=str(tmp_path))
    if answer["kind"] == "reference":  # a machine with a system OpenBLAS loads that one
        assert answer["reason"] == "there is no C compiler"
        assert "gcc" in str(answer["advice"])
    else:
        assert answer["kind"] == "openblas"


def test_compiler_that_fails_is_quoted(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    compiler = tools / "cc"
    compiler.write_text("#!/bin/sh\necho 'fatal error: no headers here' >&2\nexit 1\n")
    compiler.chmod(0o755)
    answer = activated(tmp_path / "cache", PATH=str(tools))
    assert "no headers here" in str(answer["reason"]) or answer["kind"] == "openblas"
    assert not list((tmp_path / "cache").glob("compiling-*"))


def test_second_start_neither_compiles_nor_tests(tmp_path: Path) -> None:
    tools, log, cache = tmp_path / "tools", tmp_path / "log", tmp_path / "cache"
    tools.mkdir()
    real = shutil.which("cc")
    (tools / "cc").write_text(f'#!/bin/sh\necho run >> {log}\nexec {real} "$@"\n')
    (tools / "cc").chmod(0o755)
    library = str(compile_toy(tmp_path))
    path = f"{tools}:{os.environ['PATH']}"
    assert activated(cache, library, PATH=path)["kind"] == "openblas-shim"
    (verdict,) = cache.glob("verdict-*.json")
    verdict.write_text('{"fault": "as remembered"}')
    answer = activated(cache, library, PATH=path)
    assert "as remembered" in str(answer["reason"])
    assert log.read_text().splitlines() == ["run"]
    assert {stat.S_IMODE(file.stat().st_mode) & 0o077 for file in [cache, *cache.iterdir()]} == {0}


def test_changed_library_is_tested_again(tmp_path: Path) -> None:
    library = compile_toy(tmp_path)
    assert activated(tmp_path / "cache", str(library))["kind"] == "openblas-shim"
    compile_toy(tmp_path, "sum += 1")
    assert activated(tmp_path / "cache", str(library))["kind"] == "reference"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cache with a shim for a library, to be damaged."""
    folder = tmp_path_factory.mktemp("compiled")
    library = str(compile_toy(folder))
    assert activated(folder / "cache", library)["kind"] == "openblas-shim"
    return folder / "cache", library


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", ["cut", "loose", "linked"])
def test_untrustworthy_shim_is_compiled_anew(
    compiled: tuple[Path, str], tmp_path: Path, damage: str
) -> None:
    cache, library = compiled
    (shim,) = cache.glob("shim-*.so")
    good = shim.read_bytes()
    if damage == "cut":
        shim.unlink()
    elif damage == "loose":
        shim.write_bytes(b"from another account")
        shim.chmod(0o777)
    else:
        shim.rename(tmp_path / "elsewhere.so")
        shim.symlink_to(tmp_path / "elsewhere.so")
    assert activated(cache, library)["kind"] == "openblas-shim"
    assert not shim.is_symlink()
    assert len(shim.read_bytes()) == len(good)


@pytest.mark.parametrize("fault", ["writable", "linked", "file", "replaceable"])
def test_hostile_cache_folder_is_refused(tmp_path: Path, fault: str) -> None:
    cache = tmp_path / "parent" / "cache"
    cache.parent.mkdir()
    if fault == "linked":
        (tmp_path / "other").mkdir()
        cache.symlink_to(tmp_path / "other")
    elif fault == "file":
        cache.touch()
    else:
        cache.mkdir()
        (cache if fault == "writable" else cache.parent).chmod(0o777)
    answer = activated(cache)
    assert answer["kind"] == "reference"
    assert str(cache) in str(answer["reason"])
    assert str(cache) in str(answer["advice"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_account_is_refused(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    os.chown(cache, 12345, 12345)
    with pytest.raises(BlasUnavailable, match="belongs to another account"):
        ensure_private_folder(cache)


def test_new_folder_is_private(tmp_path: Path) -> None:
    ensure_private_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
