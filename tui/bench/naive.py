"""Runs the same rows through mlx-lm's own batching in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence

import msgspec

from engine.config import encode_config
from tui.bench.context import BenchContext
from tui.bench.figures import BenchFault

MODULE = "engine.worker.naive_batch"
TIME_LIMIT_SECONDS = 600.0


async def measure_naive(
    context: BenchContext, prompts: Sequence[str], answer_tokens: Sequence[int], limit: float
) -> float:
    """Seconds for all rows, each with an answer of exactly so many tokens; stopped after `limit`.

    The model is loaded and warm, with the engine's matrix library and weights: only the way of
    batching differs. Raises BenchFault, OSError.
    """
    temporary_dir = context.engine.temporary_dir
    temporary_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", MODULE),
        *(encode_config(context.engine), str(context.model_folder), str(limit)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        cwd=temporary_dir,
        env={**os.environ, "TMPDIR": str(temporary_dir)},
    )
    rows = list(zip(prompts, answer_tokens, strict=True))
    try:
        async with asyncio.timeout(TIME_LIMIT_SECONDS):
            output, _ = await process.communicate(msgspec.json.encode(rows))
    except TimeoutError as error:
        patience = f"{TIME_LIMIT_SECONDS:g} s"
        raise BenchFault(f"mlx-lm's own batching did not finish within {patience}.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        return float(output.splitlines()[-1])
    except (IndexError, ValueError) as error:
        status = process.returncode
        raise BenchFault(f"mlx-lm's own batching could not be measured ({status}).") from error
