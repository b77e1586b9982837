"""Runs plain mlx-lm in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE

import msgspec

from tui.bench.context import BenchContext
from tui.bench.figures import BenchFault

MODULE = "engine.worker.baseline"
TIME_LIMIT_SECONDS = 300.0


class BaselineSpeeds(msgspec.Struct, frozen=True):
    """What the process reports; speeds in tokens a second."""

    mlx_lm: str
    prompt_tokens: int
    decode_tokens: int
    prefill_tps: float
    decode_tps: float


async def measure_baseline(
    context: BenchContext, prompt_tokens: int, decode_tokens: int
) -> BaselineSpeeds:
    """One run in a fresh process, with mlx-lm as it is installed. Raises BenchFault, OSError."""
    temporary_dir = context.engine.temporary_dir
    temporary_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", MODULE, str(context.model_folder)),
        *(str(prompt_tokens), str(decode_tokens)),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        cwd=temporary_dir,
        # MLX compiles kernels into TMPDIR: kept between runs, as the engine keeps its own.
        env={**os.environ, "TMPDIR": str(temporary_dir)},
    )
    try:
        async with asyncio.timeout(TIME_LIMIT_SECONDS):
            output, errors = await process.communicate()
    except TimeoutError as error:
        raise BenchFault(f"Plain mlx-lm did not finish within {TIME_LIMIT_SECONDS:g} s.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _read(output, errors, process.returncode)


def _read(output: bytes, errors: bytes, status: int | None) -> BaselineSpeeds:
    if status == 0:
        try:
            return msgspec.json.decode(output.splitlines()[-1], type=BaselineSpeeds)
        except (IndexError, msgspec.DecodeError) as error:
            raise BenchFault("Plain mlx-lm ended without reporting its speed.") from error
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1] if lines else "it said nothing"
    raise BenchFault(f"Plain mlx-lm could not be measured (exit status {status}): {reason}")
