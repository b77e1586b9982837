"""Signals, closed windows, job control and idleness, in a real terminal with a tiny model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from tests.journey.conftest import OpenSession, Session
from tui.bench.terminal import TerminalProgram, close, start_in_terminal

GONE_SECONDS = 2.0
IDLE_SECONDS = 5.0
IDLE_SHARE = 0.02
ATTEMPTS = 6
LEAVE_ALTERNATE = b"\x1b[?1049l"
ENTER_ALTERNATE = b"\x1b[?1049h"
RESTORED = {
    "the screen": LEAVE_ALTERNATE,
    "the mouse": b"\x1b[?1000l",
    "all mouse moves": b"\x1b[?1003l",
    "the cursor": b"\x1b[?25h",
    "pasting": b"\x1b[?2004l",
}


@pytest.fixture
async def open_tiny(tiny_model: Path, home: Path) -> AsyncIterator[OpenSession]:
    """Starts `zib` with a model that answers at once, in nonsense; ends them all."""
    opened: list[TerminalProgram] = []
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "ZIB_MODEL": str(tiny_model),
        "ZIB_BLAS": "off",
    }

    async def start() -> Session:
        command = [sys.executable, "-P", "-m", "tui"]
        program = await start_in_terminal(command, environment, home)
        opened.append(program)
        session = Session(program, home / ".zibaldone" / "wiki")
        await session.see(
            lambda text: "articles/Welcome.md" in text and "tiny-llama · " in text, "all of it"
        )
        return session

    yield start
    for program in opened:
        await program.kill()
        close(program)


async def is_gone(processes: list[psutil.Process]) -> bool:
    """Whether all of them end in time."""
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, GONE_SECONDS)
    return all(process.status() == psutil.STATUS_ZOMBIE for process in alive)


async def outcome(zib: Session, family: list[psutil.Process]) -> None:
    """The program has ended, nothing is left of it, and the terminal is the shell's again."""
    assert await zib.program.ends_within(10)
    assert await is_gone(family)
    output = zib.program.recording.output
    ending = output[output.rindex(LEAVE_ALTERNATE) - 200 :]
    assert [name for name, sequence in RESTORED.items() if sequence not in ending] == []


def hang_up(program: TerminalProgram) -> None:
    """Close the terminal as a closed window does, but keep its number for `close`."""
    asyncio.get_running_loop().remove_reader(program.master)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, program.master)
    os.close(null)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT], ids=lambda n: n.name
)
async def test_a_signal_restores_the_terminal_and_ends_everything(
    open_tiny: OpenSession, number: signal.Signals
) -> None:
    zib = await open_tiny()
    family = zib.family()
    assert family
    os.kill(zib.pid, number)
    await outcome(zib, family)


async def test_a_signal_in_the_middle_of_an_answer(open_tiny: OpenSession) -> None:
    zib = await open_tiny()
    family = zib.family()
    zib.press("go", "enter")
    await zib.see(lambda text: "Everything stays" not in text, "the question")
    for _ in range(3):
        os.kill(zib.pid, signal.SIGTERM)
    await outcome(zib, family)


async def test_a_closed_window_ends_everything(open_tiny: OpenSession) -> None:
    zib = await open_tiny()
    family = [psutil.Process(zib.pid), *zib.family()]
    hang_up(zib.program)
    assert await zib.program.ends_within(GONE_SECONDS)
    assert await is_gone(family)


async def test_a_suspended_program_gives_the_terminal_back_and_goes_on(
    open_tiny: OpenSession,
) -> None:
    zib = await open_tiny()
    process = psutil.Process(zib.pid)
    before = len(zib.program.recording.output)
    os.kill(zib.pid, signal.SIGTSTP)
    await zib.see(lambda _: process.status() == psutil.STATUS_STOPPED, "the stop", 10)
    await zib.see(
        lambda _: LEAVE_ALTERNATE in zib.program.recording.output[before:], "the shell's screen", 10
    )
    await asyncio.sleep(1)
    before = len(zib.program.recording.output)
    os.kill(zib.pid, signal.SIGCONT)
    await zib.see(
        lambda _: ENTER_ALTERNATE in zib.program.recording.output[before:], "its own screen", 10
    )
    zib.press("again here")
    await zib.see(lambda text: "again here" in text and "tiny-llama · " in text, "the text", 10)


async def test_an_idle_program_writes_nothing_and_rests(open_tiny: OpenSession) -> None:
    zib = await open_tiny()
    processes = [psutil.Process(zib.pid), *zib.family()]
    # The rest of the machine may change the figure of free memory; silence must come all the same.
    for _ in range(ATTEMPTS):
        written, used = len(zib.program.recording.output), seconds_used(processes)
        await asyncio.sleep(IDLE_SECONDS)
        if len(zib.program.recording.output) == written:
            assert seconds_used(processes) - used < IDLE_SECONDS * IDLE_SHARE
            return
    pytest.fail(f"never silent: {zib.program.recording.output[written:][:400]!r}")


def seconds_used(processes: list[psutil.Process]) -> float:
    """Processor seconds so far."""
    times = [process.cpu_times() for process in processes]
    return sum(time.user + time.system for time in times)


async def test_alt_enter_breaks_the_line(open_tiny: OpenSession) -> None:
    zib = await open_tiny()
    zib.press("first line", "alt+enter", "second line")
    text = await zib.see(lambda text: "second line" in text, "both lines", 10)
    (first, second) = (
        next(n for n, line in enumerate(text.split("\n")) if words in line)
        for words in ("first line", "second line")
    )
    assert second == first + 1
    assert "Everything stays on this machine" in text


async def test_text_being_edited_outlives_a_polite_kill(open_tiny: OpenSession, home: Path) -> None:
    zib = await open_tiny()
    zib.press("f4")
    await zib.see(lambda text: "✎" in text, "the editor")
    zib.press("precious words ")
    await zib.see(lambda text: "✎ ●" in text, "the mark of unsaved text")
    before = (zib.wiki / "articles" / "Welcome.md").read_bytes()
    os.kill(zib.pid, signal.SIGTERM)
    assert await zib.program.ends_within(10)
    (kept,) = (home / ".local" / "share" / "zibaldone" / "drafts").rglob("*.json")
    assert json.loads(kept.read_bytes())["text"].startswith("precious words # Welcome")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert (zib.wiki / "articles" / "Welcome.md").read_bytes() == before
    again = await open_tiny()
    await again.see(lambda text: "Text that was not saved is kept" in text, "that it is there")
    again.press("f4")
    await again.see(lambda text: "Recover it" in text, "the offer")
    again.press("enter")
    await again.see(lambda text: "precious words # Welcome" in text, "the text")
