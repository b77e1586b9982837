"""Typing into a long chat while an answer streams: from a key to its echo on the terminal."""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from tui.bench.context import BenchContext, Report
from tui.bench.figures import BenchFault, Figure, Target, sampled
from tui.bench.first_frame import isolated_environment
from tui.bench.painting import ALTERNATE_SCREEN, painted_text
from tui.bench.terminal import TerminalProgram, close, start_in_terminal
from tui.bench.typing_chat import MESSAGES, TOKENS_PER_SECOND, store_long_chat, write_script
from tui.bench.wiki_window import ENTER, quiet, until_painted
from tui.paths import APP_NAME

TARGET = Target(0.05, "at most", "p95 of the keys")
KEYS = 120
# Letters that nothing else on the screen has; each is typed once before the prompt is emptied.
LETTERS = "абвгдежзийклмнопрстуфхцч"
SHORTEST_PAUSE, LONGEST_PAUSE = 0.06, 0.2
_MOST_SECONDS_A_KEY = 0.8
_ECHO_LIMIT_SECONDS = 10.0
_WARM_UP_SECONDS = 1.5
_ESCAPE, _EMPTY = b"\x1b", b"\x03"


async def bench_typing(context: BenchContext, report: Report) -> tuple[Figure, ...]:
    """Type while nothing, a list and code stream. Raises BenchFault, ConversationError, OSError."""
    keys = (context.rounds or 1) * KEYS
    with tempfile.TemporaryDirectory(prefix="zib-bench-", ignore_cleanup_errors=True) as scratch:
        home = Path(scratch)
        script, model = write_script(home, keys * _MOST_SECONDS_A_KEY + 5)
        environment = isolated_environment(home, model) | {"ZIB_CHAT_AUTO_TITLE": "false"}
        await asyncio.to_thread(store_long_chat, Path(environment["XDG_DATA_HOME"]) / APP_NAME)
        command = (sys.executable, "-P", "-m", "tui.bench.scripted_window", str(script))
        program = await start_in_terminal(command, environment, home)
        try:
            await until_painted(program, 0, ("Ask anything",))
            await _open(program)
            figures = [_figure("no answer", await _type(program, keys), report)]
            for what in ("list", "code"):
                program.type(f"a {what}".encode() + ENTER)
                await asyncio.sleep(_WARM_UP_SECONDS)
                seconds = await _type(program, keys)
                await _stop(program)
                figures.append(_figure(what, seconds, report))
        finally:
            await program.kill()
            close(program)
    return tuple(figures)


async def _open(program: TerminalProgram) -> None:
    """Go on with the chat, and have its last messages on the screen."""
    await quiet(program, 1.0)
    first = len(program.recording.pieces)
    program.type(b"/resume" + ENTER)
    await until_painted(program, first, ("garden pump",))
    await quiet(program, 1.0)


async def _stop(program: TerminalProgram) -> None:
    first = len(program.recording.pieces)
    program.type(_ESCAPE)
    await until_painted(program, first, ("stopped",))
    await quiet(program, 0.5)


async def _type(program: TerminalProgram, keys: int) -> list[float]:
    """Seconds from each key to its echo. Raises BenchFault."""
    pauses = random.Random(1)
    seconds: list[float] = []
    for number in range(keys):
        letter = LETTERS[number % len(LETTERS)]
        if number and letter == LETTERS[0]:
            program.type(_EMPTY)
            await asyncio.sleep(LONGEST_PAUSE)
        seconds.append(await _echo(program, letter))
        await asyncio.sleep(pauses.uniform(SHORTEST_PAUSE, LONGEST_PAUSE))
    program.type(_EMPTY)
    await asyncio.sleep(LONGEST_PAUSE)
    return seconds


async def _echo(program: TerminalProgram, letter: str) -> float:
    recording = program.recording
    first = len(recording.pieces)
    began = time.perf_counter()
    program.type(letter.encode())
    try:
        async with asyncio.timeout(_ECHO_LIMIT_SECONDS):
            while not recording.is_over:
                written = b"".join(piece for _, piece in recording.pieces[first:])
                if letter in painted_text(ALTERNATE_SCREEN + written):
                    return time.perf_counter() - began
                recording.changed.clear()
                await recording.changed.wait()
    except TimeoutError as error:
        raise BenchFault(f"The key {letter} was not painted in time.") from error
    raise BenchFault("The app ended while somebody typed.")


def _figure(what: str, seconds: list[float], report: Report) -> Figure:
    ranked = sorted(seconds)
    p95 = ranked[int(0.95 * len(ranked))]
    median = ranked[len(ranked) // 2]
    note = f"{len(ranked)} keys, median {median * 1000:.0f}, slowest {ranked[-1] * 1000:.0f} ms"
    streaming = f"{what} at {TOKENS_PER_SECOND} tok/s" if what != "no answer" else what
    report(f"  {streaming}: key echo p95 {p95 * 1000:.0f} ms, {note}")
    return sampled(f"echo in a chat of {MESSAGES}, {streaming}", "s", [p95], TARGET, note)
