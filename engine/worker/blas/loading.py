"""Putting a library where libmlx.so finds it: in the process's global symbol scope."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from engine.worker.blas.library import repair_advice
from engine.worker.blas.unavailable import BlasUnavailable


def load_shim(shim: Path, library: Path, threads: int) -> ctypes.CDLL:
    """Open the library behind the shim and make the shim's symbols global.

    Raises BlasUnavailable, with nothing made global, when the library does not serve.
    """
    loaded = _open(shim, ctypes.RTLD_LOCAL)
    loaded.zib_blas_error.restype = ctypes.c_char_p
    loaded.zib_blas_calls.restype = ctypes.c_ulong
    if loaded.zib_blas_open(os.fsencode(library), threads) != 0:
        text = loaded.zib_blas_error().decode("utf-8", "replace")
        raise BlasUnavailable(f"{library} cannot be used: {text}", repair_advice(library))
    # The same handle again: a second dlopen only widens its visibility.
    return _promote(shim, loaded)


def load_plain(library: Path) -> ctypes.CDLL:
    """Make a library's own `cblas_sgemm` global. Raises BlasUnavailable when it has none."""
    loaded = _open(library, ctypes.RTLD_LOCAL)
    if not hasattr(loaded, "cblas_sgemm"):
        raise BlasUnavailable(
            f"{library} offers its functions under other names than MLX calls",
            "Install a C compiler (gcc or clang) and restart.",
        )
    return _promote(library, loaded)


def _open(path: Path, mode: int) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path), mode)
    except OSError as error:
        raise BlasUnavailable(f"{path} cannot be loaded: {error}", repair_advice(path)) from error


def _promote(path: Path, loaded: ctypes.CDLL) -> ctypes.CDLL:
    _open(path, ctypes.RTLD_GLOBAL)
    return loaded
