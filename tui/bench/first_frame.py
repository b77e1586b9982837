"""Time from starting `zib` to its first painted frame, in a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from tui.bench.painting import first_painted, painted_text
from tui.bench.terminal import Recording, TerminalProgram, close, start_in_terminal

TARGET = Target(0.5, "at most")
ROUNDS = 5
# The frame is there when both the title and the prompt to type into can be read.
MARKS = ("Zibaldone", "Ask anything")
PAINT_LIMIT_SECONDS = 30.0
QUIT_LIMIT_SECONDS = 8.0
CTRL_Q = b"\x11"
_FOREIGN = ("ZIB_", "XDG_", "GIT_", "TEXTUAL", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
_FOLDERS = ("CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "RUNTIME_DIR")


@dataclass(frozen=True, slots=True)
class _Start:
    """One start of the program: seconds to the first frame, and whether it left when asked."""

    seconds: float
    has_quit: bool


async def bench_first_frame(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Start the app several times, each loading its model as always. Raises BenchFault, OSError."""
    rounds = context.rounds or ROUNDS
    starts: list[_Start] = []
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as home:
        environment = isolated_environment(Path(home), context.model_folder)
        for turn in range(1, rounds + 1):
            start = await _start_once(context, environment, Path(home))
            starts.append(start)
            left = "" if start.has_quit else ", killed: it did not quit on Ctrl+Q"
            report(f"  start {turn} of {rounds}: first frame after {start.seconds:.3f} s{left}")
    killed = sum(not start.has_quit for start in starts)
    note = f"{killed} of {rounds} starts had to be killed afterwards" if killed else ""
    runs = [start.seconds for start in starts]
    return (sampled("first frame after start", "s", runs, TARGET, note),)


def isolated_environment(home: Path, model_folder: Path) -> dict[str, str]:
    """An environment in which the app finds the model but nothing of the user's."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)
    }
    for name in _FOLDERS:
        folder = home / name.lower()
        folder.mkdir(mode=0o700, exist_ok=True)
        environment[f"XDG_{name}"] = str(folder)
    return environment | {
        "HOME": str(home),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "ZIB_MODEL": str(model_folder),
    }


async def _start_once(context: BenchContext, environment: dict[str, str], home: Path) -> _Start:
    program = await start_in_terminal(context.program, environment, home)
    try:
        seconds = await _until_painted(program.recording)
        return _Start(seconds, await _quit(program))
    finally:
        await program.kill()
        close(program)


async def _quit(program: TerminalProgram) -> bool:
    program.type(CTRL_Q)
    return await program.ends_within(QUIT_LIMIT_SECONDS)


async def _until_painted(recording: Recording) -> float:
    try:
        async with asyncio.timeout(PAINT_LIMIT_SECONDS):
            while True:
                await recording.changed.wait()
                recording.changed.clear()
                seconds = first_painted(recording.pieces, MARKS)
                if seconds is not None:
                    return seconds
                if recording.is_over:
                    break
    except TimeoutError as error:
        raise BenchFault(
            f"No frame with {' and '.join(MARKS)} was painted within {PAINT_LIMIT_SECONDS:g} s."
        ) from error
    said = painted_text(recording.output) or recording.output.decode("utf-8", "replace")
    raise BenchFault(f"The app ended before its first frame: {_last_line(said)}")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
