"""Has the cost of masks measured in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE

import msgspec

from engine.config import encode_config
from engine.mask_cost import MaskCost, MaskTask
from tui.bench.context import BenchContext
from tui.bench.figures import BenchFault

MODULE = "engine.worker.mask_cost"
TIME_LIMIT_SECONDS = 600.0


async def measure_mask_cost(context: BenchContext, task: MaskTask) -> MaskCost:
    """The same tokens with the form and without. Raises BenchFault, OSError."""
    temporary_dir = context.engine.temporary_dir
    temporary_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", MODULE),
        *(encode_config(context.engine), str(context.model_folder)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=temporary_dir,
        env={**os.environ, "TMPDIR": str(temporary_dir)},
    )
    try:
        async with asyncio.timeout(TIME_LIMIT_SECONDS):
            output, errors = await process.communicate(msgspec.json.encode(task))
    except TimeoutError as error:
        patience = f"{TIME_LIMIT_SECONDS:g} s"
        raise BenchFault(f"The cost of masks was not measured within {patience}.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        return msgspec.json.decode(output, type=MaskCost)
    except msgspec.DecodeError as error:
        said = errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise BenchFault(f"The cost of masks could not be measured: {said[-1]}") from error
