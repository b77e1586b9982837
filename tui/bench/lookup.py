"""Looks prompts up among many entries, here and in mlx-lm, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass

import msgspec

from tui.bench.context import BenchContext
from tui.bench.figures import BenchFault

MODULE = "engine.worker.index_comparison"
PATIENCE_SECONDS = 10.0
"""After which a search of mlx-lm's is stopped."""
TIME_LIMIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Lookup:
    """One case: how the entries begin like the prompt, and the seconds of both sides."""

    case: str
    ours: float
    theirs: float

    @property
    def was_stopped(self) -> bool:
        """Whether mlx-lm's search took longer than that."""
        return self.theirs >= PATIENCE_SECONDS


async def measure_lookups(context: BenchContext, entries: int, tokens: int) -> list[Lookup]:
    """Every case. Raises BenchFault, OSError."""
    folder = context.engine.temporary_dir
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", MODULE, str(entries), str(tokens), str(PATIENCE_SECONDS)),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    try:
        async with asyncio.timeout(TIME_LIMIT_SECONDS):
            output, _ = await process.communicate()
        lines = [
            msgspec.json.decode(line, type=tuple[str, float, float]) for line in output.splitlines()
        ]
    except (TimeoutError, msgspec.MsgspecError) as error:
        raise BenchFault("The lookups could not be measured.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode or not lines:
        raise BenchFault(f"The lookups could not be measured ({process.returncode}).")
    return [Lookup(*line) for line in lines]
