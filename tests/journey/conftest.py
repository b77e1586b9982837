"""`zib` in a real pseudo-terminal, drawn on a terminal emulator."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pyte
import pytest

from tui.bench.terminal import COLUMNS, ROWS, TerminalProgram, close, start_in_terminal

KEYS = {
    "enter": b"\r",
    "escape": b"\x1b",
    "f4": b"\x1bOS",
    "ctrl+s": b"\x13",
    "ctrl+q": b"\x11",
    "alt+enter": b"\x1b\r",
    "ctrl+end": b"\x1b[1;5F",
}


@dataclass(frozen=True, slots=True)
class Session:
    """A running `zib` with the screen its user sees."""

    program: TerminalProgram
    wiki: Path

    @property
    def pid(self) -> int:
        return self.program.process.pid

    def press(self, *keys: str) -> None:
        """Named keys, or plain text."""
        for key in keys:
            self.program.type(KEYS.get(key, key.encode()))

    @property
    def text(self) -> str:
        """The screen as it stands."""
        screen = pyte.Screen(COLUMNS, ROWS)
        pyte.ByteStream(screen).feed(self.program.recording.output)
        return "\n".join(screen.display)

    async def see(self, is_seen: Callable[[str], object], what: str, seconds: float = 90) -> str:
        """Wait until the screen shows something; fails with what it shows instead."""
        deadline = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < deadline:
            text = self.text
            if is_seen(text):
                return text
            await asyncio.sleep(0.1)
        pytest.fail(f"never seen: {what}\n{self.text}")

    def family(self) -> list[psutil.Process]:
        """Every process the program has started."""
        return psutil.Process(self.pid).children(recursive=True)


SIZES = frozenset({"COLUMNS", "LINES"})
OpenSession = Callable[[], Awaitable[Session]]


@pytest.fixture
async def open_zib(builtin_model: Path, home: Path) -> AsyncIterator[OpenSession]:
    """Starts `zib` with the real built-in model in a home of its own; ends them all."""
    opened: list[TerminalProgram] = []

    async def start() -> Session:
        # These would overrule the size of the pseudo-terminal.
        own = {name: value for name, value in os.environ.items() if name not in SIZES}
        environment = {
            **own,
            "TERM": "xterm-256color",
            "ZIB_MODEL": str(builtin_model),
            "ZIB_CHAT_TEMPERATURE": "0",
        }
        program = await start_in_terminal([sys.executable, "-P", "-m", "tui"], environment, home)
        opened.append(program)
        return Session(program, home / ".zibaldone" / "wiki")

    yield start
    for program in opened:
        await program.kill()
        close(program)
