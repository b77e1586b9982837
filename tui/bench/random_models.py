"""Model folders with random weights, written by a process of their own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from pathlib import Path

from tui.bench.figures import BenchFault

MODULE = "engine.worker.random_model"
TIME_LIMIT_SECONDS = 120.0


async def write_random_models(
    place: Path, configs: Mapping[str, Mapping[str, object]], temporary_dir: Path
) -> None:
    """Write one folder a name into `place`; `temporary_dir` keeps MLX's compiled kernels.

    Raises BenchFault, OSError.
    """
    temporary_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", MODULE, str(place)),
        stdin=PIPE,
        stdout=DEVNULL,
        stderr=PIPE,
        cwd=temporary_dir,
        env={**os.environ, "TMPDIR": str(temporary_dir)},
    )
    try:
        async with asyncio.timeout(TIME_LIMIT_SECONDS):
            _, errors = await process.communicate(json.dumps(configs).encode())
    except TimeoutError as error:
        limit = f"{TIME_LIMIT_SECONDS:g} s"
        raise BenchFault(f"The random models were not written within {limit}.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        lines = errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise BenchFault(f"The random models could not be written: {lines[-1]}")
