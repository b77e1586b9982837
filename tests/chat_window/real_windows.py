"""The real window in a pseudo-terminal over a scripted engine, with the screen its user sees."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pyte
import pytest

from engine.script import Reply
from tui.bench.first_frame import isolated_environment
from tui.bench.terminal import COLUMNS, ROWS, TerminalProgram, close, start_in_terminal
from tui.paths import APP_NAME

ENTER, ESCAPE = b"\r", b"\x1b"


@dataclass(frozen=True, slots=True)
class Home:
    """Folders of one user, and what the model says there."""

    folder: Path
    script: Path
    model: Path

    @property
    def data_dir(self) -> Path:
        return self.folder / "data_home" / APP_NAME

    async def open(self) -> Window:
        """Another window."""
        environment = isolated_environment(self.folder, self.model)
        command = (sys.executable, "-P", "-m", "tui.bench.scripted_window", str(self.script))
        environment |= {"ZIB_CHAT_AUTO_TITLE": "false", "ZIB_UI_SHOW_WIKI": "false"}
        window = Window(await start_in_terminal(command, environment, self.folder))
        await window.see(lambda text: "Ask anything" in text, "the first frame")
        return window


def make_home(folder: Path, replies: Sequence[Reply]) -> Home:
    """A home without chats."""
    model = folder / "model"
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    script = folder / "script.json"
    script.write_bytes(msgspec.json.encode(list(replies)))
    return Home(folder, script, model)


@dataclass(frozen=True, slots=True)
class Window:
    """A running window."""

    program: TerminalProgram

    def type(self, text: str) -> None:
        """Write a line and send it."""
        self.program.type(text.encode() + ENTER)

    @property
    def text(self) -> str:
        """The screen as it stands."""
        screen = pyte.Screen(COLUMNS, ROWS)
        pyte.ByteStream(screen).feed(self.program.recording.output)
        return "\n".join(screen.display)

    async def see(self, is_seen: Callable[[str], object], what: str, seconds: float = 60) -> str:
        """Wait until the screen shows something; fails with what it shows instead."""
        deadline = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < deadline:
            text = self.text
            if is_seen(text):
                return text
            await asyncio.sleep(0.05)
        pytest.fail(f"never seen: {what}\n{self.text}")

    async def kill(self) -> None:
        """As `kill -9`: the process alone, whatever it is doing."""
        self.program.process.kill()
        await self.program.process.wait()

    async def end(self) -> None:
        """Leave nothing of it."""
        await self.program.kill()
        close(self.program)
