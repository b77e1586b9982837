"""What measuring costs: processor time of the thread that feeds the gauge during an answer."""

from __future__ import annotations

import os
import time
from pathlib import Path

from engine.client import EngineClient
from engine.process import EngineLaunch
from engine.protocol import Finished, Message
from engine.serving.loop import REPORT_THREAD
from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from tui.bench.ours import GREEDY
from tui.bench.prompts import rambling_prompt

TARGET = Target(1.0, "at most")
DECODED_TOKENS = 200
_USER, _SYSTEM = 13, 14
"""Places of the thread's clock ticks in /proc/PID/task/TID/stat, as proc(5) counts from 0."""


async def bench_sampling(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Share of wall time that the report thread computes. Raises BenchFault, OSError."""
    shares = []
    async with EngineClient(EngineLaunch(context.engine)) as engine:
        await engine.load(str(context.model_folder))
        for _ in range(context.rounds or 1):
            shares.append(await _share(engine))
            report(f"  {shares[-1]:.2f} % of wall time")
    return (sampled("measuring memory while decoding", "% of wall time", shares, TARGET),)


async def _share(engine: EngineClient) -> float:
    if engine.pid is None:
        raise BenchFault("The engine's process is not known.")
    clock = _report_clock(engine.pid)
    before, began = _seconds(clock), time.monotonic()
    tokens = 0
    async for event in engine.generate(
        [Message("user", rambling_prompt())], sampling=GREEDY, max_tokens=DECODED_TOKENS
    ):
        if isinstance(event, Finished):
            tokens = event.usage.generated_tokens
    if not tokens:
        raise BenchFault("The model answered nothing, so nothing was measured.")
    return 100 * (_seconds(clock) - before) / (time.monotonic() - began)


def _report_clock(pid: int) -> Path:
    """The file with the report thread's clock."""
    tasks = Path(f"/proc/{pid}/task")
    if not tasks.is_dir():
        raise BenchFault("Only Linux shows what one thread computes.")
    for task in tasks.iterdir():
        if (task / "comm").read_text().strip() == REPORT_THREAD:
            return task / "stat"
    raise BenchFault(f"The engine has no thread called {REPORT_THREAD}.")


def _seconds(stat: Path) -> float:
    # The name, in brackets, may itself hold blanks.
    fields = stat.read_text().rpartition(")")[2].split()
    ticks = int(fields[_USER - 2]) + int(fields[_SYSTEM - 2])
    return ticks / os.sysconf("SC_CLK_TCK")
