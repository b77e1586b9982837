"""Checks products of the shim against numpy, one JSON case a line; keeps pytest's process clean.

Arguments: the shim, the library behind it, the number of threads.
"""

import json
import sys
from pathlib import Path

import numpy as np

from engine.worker.blas.loading import load_shim
from engine.worker.blas.selftest import Case, declare_sgemm, fault_of


def main() -> None:
    shim, library, threads = sys.argv[1:]
    sgemm = declare_sgemm(load_shim(Path(shim), Path(library), int(threads)))
    for line in sys.stdin:
        order, transposes, sizes, scales, slack, seed = json.loads(line)
        case = Case(order, tuple(transposes), tuple(sizes), tuple(scales), slack)
        fault = fault_of(case, sgemm, np.random.default_rng(seed))
        sys.stdout.write(json.dumps(fault) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
