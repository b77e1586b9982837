"""The window over a copy of somebody's wiki, typed into and watched."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tui.bench.context import BenchContext
from tui.bench.figures import BenchFault
from tui.bench.first_frame import isolated_environment
from tui.bench.painting import ALTERNATE_SCREEN, painted_text
from tui.bench.terminal import TerminalProgram, close, start_in_terminal

ENTER, TAB, ESCAPE, F3 = b"\r", b"\t", b"\x1b", b"\x1bOR"
LIMIT_SECONDS = 60.0
_QUIT = b"\x11"
_QUIET_SECONDS = 1.5
_MARKS = ("Wiki", "Ask anything")


def copy_wiki(name: str, corpora: Path | None, scratch: Path) -> Path:
    """A copy that may be written to. Raises BenchFault when there is no such wiki."""
    source = corpora / name if corpora is not None else None
    if source is None or not source.is_dir():
        raise BenchFault(f"There is no {name}: set ZIB_CORPORA to a folder with other wikis.")
    root = scratch / name
    shutil.copytree(source, root, symlinks=True)
    for path in (root, *root.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return root


@asynccontextmanager
async def open_window(
    context: BenchContext, wiki: Path, home: Path
) -> AsyncIterator[TerminalProgram]:
    """The program over a wiki, once its first frame is there and it says nothing more."""
    home.mkdir(exist_ok=True)
    environment = isolated_environment(home, context.model_folder) | {"ZIB_WIKI": str(wiki)}
    program = await start_in_terminal(context.program, environment, home)
    try:
        await until_painted(program, 0, _MARKS)
        await quiet(program)
        yield program
        program.type(_QUIT)
        await program.ends_within(LIMIT_SECONDS / 4)
    finally:
        await program.kill()
        close(program)


async def press(program: TerminalProgram, keys: bytes, marks: Sequence[str] = ()) -> float:
    """Seconds from keys to the marks in what is painted; to anything painted without marks."""
    first = len(program.recording.pieces)
    began = time.perf_counter()
    program.type(keys)
    await until_painted(program, first, marks)
    return time.perf_counter() - began


async def until_painted(program: TerminalProgram, first: int, marks: Sequence[str]) -> None:
    """Wait until all marks are in what was painted from a piece on. Raises BenchFault."""
    recording = program.recording
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            while not recording.is_over:
                pieces = recording.pieces[first:]
                # The screen was entered in an earlier piece.
                before = ALTERNATE_SCREEN if first else b""
                text = painted_text(before + b"".join(piece for _, piece in pieces))
                if pieces and all(mark in text for mark in marks):
                    return
                recording.changed.clear()
                await recording.changed.wait()
    except TimeoutError as error:
        raise BenchFault(f"{' and '.join(marks) or 'Nothing'} was not painted in time.") from error
    raise BenchFault(f"The app ended before it painted {' and '.join(marks)}.")


async def quiet(program: TerminalProgram, seconds: float = _QUIET_SECONDS) -> None:
    """Wait until nothing is written for some seconds; a minute at most."""
    ends = time.monotonic() + LIMIT_SECONDS
    seen = -1
    while seen != len(program.recording.pieces) and time.monotonic() < ends:
        seen = len(program.recording.pieces)
        await asyncio.sleep(seconds)
