"""Compiling the shim once into the private cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from engine.worker.blas.identity import cpu_identity, digest, file_identity
from engine.worker.blas.private_folder import is_own_file
from engine.worker.blas.unavailable import BlasUnavailable

_COMPILERS = ("cc", "gcc", "clang")
_FLAGS = ("-O2", "-std=gnu11", "-fPIC", "-shared", "-fvisibility=hidden")
_LIBRARIES = ("-lpthread", "-ldl")
_TUNINGS = (("-march=native",), ())
_TIME_LIMIT_SECONDS = 120
_ADVICE = (
    "Install a C compiler (gcc or clang; `apt install gcc`, `dnf install gcc`) and restart,"
    " or install the system's OpenBLAS."
)


def compiled_shim(folder: Path) -> Path:
    """The shim for this source, compiler and processor; compiled when it is missing.

    Raises BlasUnavailable without a compiler or when it fails.
    """
    source = files(__package__).joinpath("shim.c").read_bytes()
    compiler = _find_compiler()
    key = digest([source, file_identity(compiler), cpu_identity()])
    shim = folder / f"shim-{key}.so"
    if not is_own_file(shim):
        _compile(compiler, source, shim)
    return shim


def _find_compiler() -> Path:
    for name in _COMPILERS:
        found = shutil.which(name)
        if found:
            return Path(found)
    raise BlasUnavailable("there is no C compiler", _ADVICE)


def _compile(compiler: Path, source: bytes, shim: Path) -> None:
    """Compile beside the goal and rename: another process sees all of it or nothing."""
    complaint = ""
    try:
        with tempfile.TemporaryDirectory(dir=shim.parent, prefix="compiling-") as scratch:
            source_file, result = Path(scratch, "shim.c"), Path(scratch, "shim.so")
            source_file.write_bytes(source)
            for tuning in _TUNINGS:
                arguments = [compiler, *_FLAGS, *tuning, "-o", result, source_file, *_LIBRARIES]
                complaint = _run(arguments, scratch)
                if not complaint:
                    result.chmod(0o700)
                    result.replace(shim)
                    return
    except OSError as error:
        complaint = f"{error.filename}: {error.strerror}"
    raise BlasUnavailable(f"{compiler} could not compile the shim ({complaint})", _ADVICE)


def _run(arguments: list[Path | str], scratch: str) -> str:
    """The compiler's last line of complaint, empty on success."""
    try:
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIME_LIMIT_SECONDS,
            env={**os.environ, "TMPDIR": scratch, "LC_ALL": "C"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {_TIME_LIMIT_SECONDS} seconds"
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in lines if "error" in line), f"status {done.returncode}")
