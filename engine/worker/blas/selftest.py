"""Checks a shim or library against numpy and through MLX, in a process of its own.

`python -P -m engine.worker.blas.selftest LIBRARY THREADS [SHIM]` prints one JSON object,
{"fault": "..."}, empty when all is right. It ends when its standard input closes, which is
how it notices that its parent died.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.worker.blas.loading import load_plain, load_shim
from engine.worker.blas.unavailable import BlasUnavailable

ROW_MAJOR, COLUMN_MAJOR = 101, 102
NO_TRANSPOSE, TRANSPOSE = 111, 112
_SIZES = ((1, 1, 1), (1, 130, 576), (1, 64, 129), (2, 17, 64), (3, 130, 33), (5, 64, 15))
_MORE_SIZES = ((8, 193, 576), (9, 40, 64), (33, 17, 129), (40, 1, 65), (64, 96, 128), (2, 3, 0))
_THREADED_SIZES = ((1, 4099, 577), (8, 2050, 576), (300, 300, 300))
_SCALES = ((1.0, 0.0), (0.125, 0.0), (-0.5, 1.0), (2.0, -0.75), (0.0, 0.5))


@dataclass(frozen=True, slots=True)
class Case:
    """One call of cblas_sgemm; `slack` is what each leading dimension exceeds its least by."""

    order: int
    transposes: tuple[int, int]
    sizes: tuple[int, int, int]
    scales: tuple[float, float]
    slack: int


def cases() -> Iterator[Case]:
    """Every order and transpose of every size, the scales and strides taken in turn."""
    turn = 0
    for sizes in _SIZES + _MORE_SIZES + _THREADED_SIZES:
        for order in (ROW_MAJOR, COLUMN_MAJOR):
            for first in (NO_TRANSPOSE, TRANSPOSE):
                for second in (NO_TRANSPOSE, TRANSPOSE):
                    yield Case(order, (first, second), sizes, _SCALES[turn % 5], turn % 3)
                    turn += 1


def fault_of(case: Case, sgemm: Any, random: np.random.Generator) -> str:
    """What is wrong with one product, empty when it is right and nothing else was written."""
    m, n, k = case.sizes
    a, a_stored, lda = _operand(m, k, case.transposes[0], case, random)
    b, b_stored, ldb = _operand(k, n, case.transposes[1], case, random)
    c, c_stored, ldc = _operand(m, n, NO_TRANSPOSE, case, random)
    alpha, beta = case.scales
    start = np.zeros((m, n)) if beta == 0 else beta * c.astype(np.float64)
    expected = alpha * (a.astype(np.float64) @ b.astype(np.float64)) + start
    bound = 1e-6 * (8 + k) * (abs(alpha) * (abs(a) @ abs(b)) + abs(beta * c) + 1e-30)
    if beta == 0:
        c_stored.fill(np.nan)  # CBLAS does not read C then
    before = c_stored.copy()
    numbers: list[Any] = [alpha, *_at(a_stored, lda), *_at(b_stored, ldb), beta]
    sgemm(case.order, *case.transposes, m, n, k, *numbers, *_at(c_stored, ldc))
    result = _visible(c_stored, m, n, case.order)
    if not np.all(np.abs(result - expected) <= bound):
        return f"a wrong product for {case}"
    _visible(before, m, n, case.order)[...] = result
    return "" if np.array_equal(before, c_stored, equal_nan=True) else f"a stray write for {case}"


def _operand(
    rows: int, columns: int, transpose: int, case: Case, random: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32], int]:
    """The matrix as mathematics sees it, its memory, and its leading dimension."""
    if transpose == TRANSPOSE:
        matrix, stored, leading = _operand(columns, rows, NO_TRANSPOSE, case, random)
        return matrix.T, stored, leading
    lines, length = (rows, columns) if case.order == ROW_MAJOR else (columns, rows)
    leading = max(1, length + case.slack)
    stored = random.standard_normal((max(1, lines), leading), dtype=np.float32)
    return _visible(stored, rows, columns, case.order).copy(), stored, leading


def _visible(
    stored: NDArray[np.float32], rows: int, columns: int, order: int
) -> NDArray[np.float32]:
    if order == ROW_MAJOR:
        return stored[:rows, :columns]
    return stored[:columns, :rows].T


def _at(stored: NDArray[np.float32], leading: int) -> tuple[int, int]:
    return stored.ctypes.data, leading


def declare_sgemm(library: ctypes.CDLL) -> Any:
    """`cblas_sgemm` of a loaded library with its C signature."""
    sgemm = library.cblas_sgemm
    number, pointer, real = ctypes.c_int, ctypes.c_void_p, ctypes.c_float
    sgemm.argtypes = [number] * 6 + [real, pointer, number, pointer, number, real, pointer, number]
    sgemm.restype = None
    return sgemm


def check_products(library: ctypes.CDLL) -> str:
    """The first fault in the table of cases, empty when there is none."""
    sgemm, random = declare_sgemm(library), np.random.default_rng(20240229)
    return next((fault for case in cases() if (fault := fault_of(case, sgemm, random))), "")


def check_mlx(library: ctypes.CDLL) -> str:
    """Whether MLX's own matrix product arrives in the library and comes back right."""
    import mlx.core as mx

    resolved = ctypes.cast(ctypes.CDLL(None).cblas_sgemm, ctypes.c_void_p).value
    if resolved != ctypes.cast(library.cblas_sgemm, ctypes.c_void_p).value:
        return "another library's cblas_sgemm comes first"
    random = np.random.default_rng(7)
    for rows in (1, 3, 40):
        x = random.standard_normal((rows, 96), dtype=np.float32)
        weight = random.standard_normal((200, 96), dtype=np.float32)
        calls = _calls(library)
        with mx.stream(mx.cpu):
            product = mx.array(x) @ mx.array(weight).T
            mx.eval(product)
        if calls is not None and _calls(library) == calls:
            return "MLX's products do not go through it"
        if not np.allclose(np.array(product), x @ weight.T, rtol=1e-4, atol=1e-4):
            return "MLX's products come back wrong"
    return ""


def _calls(library: ctypes.CDLL) -> int | None:
    """The shim's call counter; a plain library has none."""
    return int(library.zib_blas_calls()) if hasattr(library, "zib_blas_calls") else None


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(3)


def main(arguments: list[str]) -> int:
    """Run the checks and print the verdict."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    library, threads, *shim = arguments
    try:
        if shim:
            loaded = load_shim(Path(shim[0]), Path(library), int(threads))
        else:
            loaded = load_plain(Path(library))
        fault = check_products(loaded) or check_mlx(loaded)
    except BlasUnavailable as error:
        fault = error.reason
    sys.stdout.write(json.dumps({"fault": fault}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
