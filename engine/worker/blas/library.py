"""Finding a CBLAS library on Linux without loading it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from engine.worker.blas.unavailable import BlasUnavailable

# The unsuffixed names only: libopenblas64 takes integers of another size.
_SYSTEM_NAMES = ("libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so")
_SYSTEM_FOLDERS = ("/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/lib64")
_WHEEL = "scipy_openblas32"
_PACKAGE = "scipy-openblas32"


def find_libraries(setting: str | None) -> tuple[Path, ...]:
    """Every library worth trying, best first; with a setting only that one.

    Raises BlasUnavailable when there is none.
    """
    if setting is not None:
        path = Path(setting).expanduser().absolute()
        if not path.is_file():
            raise BlasUnavailable(
                f"ZIB_BLAS names {setting}, which is not a file",
                "Set ZIB_BLAS to an OpenBLAS library, or unset it for an automatic search.",
            )
        return (path,)
    found = tuple(dict.fromkeys([*_wheel_libraries(), *_system_libraries()]))
    if not found:
        raise BlasUnavailable(
            "no OpenBLAS library was found", f"Run `pip install {_PACKAGE}` and restart."
        )
    return found


def repair_advice(library: Path) -> str:
    """What to do about a library that does not work."""
    if _WHEEL in library.parts:
        return f"Run `pip install --force-reinstall {_PACKAGE}` and restart."
    return f"Run `pip install {_PACKAGE}`, unset ZIB_BLAS and restart."


def _wheel_libraries() -> Iterator[Path]:
    spec = find_spec(_WHEEL)
    if spec and spec.origin:
        yield from sorted((Path(spec.origin).parent / "lib").glob("libscipy_openblas*.so"))


def _system_libraries() -> Iterator[Path]:
    folders = [Path(entry) for entry in os.environ.get("LD_LIBRARY_PATH", "").split(":") if entry]
    folders.append(Path(sys.prefix, "lib"))
    for pattern in _SYSTEM_FOLDERS:
        folders.extend(sorted(Path("/").glob(pattern.lstrip("/"))))
    for folder in folders:
        for name in _SYSTEM_NAMES:
            library = folder / name
            if library.is_file():
                yield library.resolve()
