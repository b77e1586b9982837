"""Whether a library passed its self-test, remembered until anything it depends on changes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import msgspec

from engine.worker.blas.identity import cpu_identity, digest, file_identity, mlx_library
from engine.worker.blas.private_folder import is_own_file

TIME_LIMIT_SECONDS = 90


class Verdict(msgspec.Struct, frozen=True):
    """`fault` is empty when the library computed everything right."""

    fault: str


def verdict_on(folder: Path, library: Path, threads: int, shim: Path | None) -> str:
    """The fault found by the self-test, empty when there is none.

    A wrong result is remembered like a right one. A test that crashed or ran out of time is
    not: the machine may just have been busy.
    """
    remembered = folder / f"verdict-{_key(library, threads, shim)}.json"
    known = _read(remembered)
    if known is not None:
        return known.fault
    verdict, is_final = _run_selftest(library, threads, shim)
    if is_final:
        _write(remembered, verdict)
    return verdict.fault


def _key(library: Path, threads: int, shim: Path | None) -> str:
    mlx = mlx_library()
    selftest = files(__package__).joinpath("selftest.py").read_bytes()
    return digest(
        [
            selftest,
            file_identity(library),
            file_identity(shim) if shim else "unshimmed",
            file_identity(mlx) if mlx else "no mlx",
            cpu_identity(),
            str(threads),
            os.environ.get("LD_PRELOAD", ""),
        ]
    )


def _run_selftest(library: Path, threads: int, shim: Path | None) -> tuple[Verdict, bool]:
    arguments = [sys.executable, "-P", "-m", "engine.worker.blas.selftest"]
    arguments += [str(library), str(threads), *([str(shim)] if shim else [])]
    lifeline, held = os.pipe()
    try:
        done = subprocess.run(
            arguments,
            stdin=lifeline,
            capture_output=True,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Verdict(f"the self-test did not finish ({type(error).__name__})"), False
    finally:
        os.close(lifeline)
        os.close(held)
    try:
        return msgspec.json.decode(done.stdout.splitlines()[-1], type=Verdict), True
    except (IndexError, msgspec.DecodeError):
        return Verdict(f"the self-test ended with status {done.returncode}"), False


def _read(path: Path) -> Verdict | None:
    if not is_own_file(path):
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Verdict)
    except (OSError, msgspec.DecodeError):
        return None


def _write(path: Path, verdict: Verdict) -> None:
    """Rename into place; without room on the disk the test simply runs again next time."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix="verdict-", delete=False) as file:
            file.write(msgspec.json.encode(verdict))
        Path(file.name).replace(path)
    except OSError:
        return
