"""What the app costs while nobody uses it: processor time and bytes sent to the terminal."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import psutil

from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from tui.bench.first_frame import isolated_environment
from tui.bench.painting import painted_text
from tui.bench.terminal import TerminalProgram, close, start_in_terminal

CPU_TARGET = Target(1.0, "at most")
OUTPUT_TARGET = Target(0.0, "at most")
WATCHED_SECONDS = 20.0
QUIET_SECONDS = 3.0
LOAD_LIMIT_SECONDS = 120.0
READY_MARK = "rows"
"""The gauge shows rows once a model is loaded and the first report is drawn."""


async def bench_idle(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Open the app, wait until its model is loaded and it is quiet, then only watch it.

    Raises BenchFault, OSError.
    """
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as home:
        environment = isolated_environment(Path(home), context.model_folder)
        program = await start_in_terminal(context.program, environment, Path(home))
        try:
            await _until_quiet(program)
            report("  the model is loaded and the screen is quiet")
            percent, written = await _watch(program, context.rounds or 1)
        finally:
            await program.kill()
            close(program)
    note = f"{WATCHED_SECONDS:g} s, app and engine together"
    return (
        sampled("idle processor time", "% of a core", percent, CPU_TARGET, note),
        sampled("idle bytes to the terminal", "bytes", written, OUTPUT_TARGET),
    )


async def _until_quiet(program: TerminalProgram) -> None:
    started = time.monotonic()
    seen = -1
    while time.monotonic() - started < LOAD_LIMIT_SECONDS:
        await asyncio.sleep(QUIET_SECONDS)
        output = program.recording.output
        if program.recording.is_over:
            raise BenchFault("The app ended before it was idle.")
        if len(output) == seen and READY_MARK in painted_text(output):
            return
        seen = len(output)
    raise BenchFault(f"The app was not quiet within {LOAD_LIMIT_SECONDS:g} s.")


async def _watch(program: TerminalProgram, rounds: int) -> tuple[list[float], list[float]]:
    percent: list[float] = []
    written: list[float] = []
    for _ in range(rounds):
        seconds, size = _processor_seconds(program), len(program.recording.output)
        began = time.monotonic()
        await asyncio.sleep(WATCHED_SECONDS)
        used = _processor_seconds(program) - seconds
        percent.append(100 * used / (time.monotonic() - began))
        written.append(float(len(program.recording.output) - size))
    return percent, written


def _processor_seconds(program: TerminalProgram) -> float:
    """Of the app and of every process it started."""
    app = psutil.Process(program.process.pid)
    total = 0.0
    for process in (app, *app.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total
