"""A program in a real pseudo-terminal, with a clock on what it writes."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import pty
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

COLUMNS, ROWS = 120, 40
_READ_BYTES = 64 * 1024


@dataclass(slots=True)
class Recording:
    """Everything a program wrote, each piece with the seconds since its start."""

    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    is_over: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def output(self) -> bytes:
        """All of it so far."""
        return b"".join(piece for _, piece in self.pieces)


@dataclass(frozen=True, slots=True)
class TerminalProgram:
    """A running program and the terminal's end of its line."""

    process: asyncio.subprocess.Process
    master: int
    recording: Recording

    def type(self, keys: bytes) -> None:
        """Send keys; a program that has ended takes none."""
        try:
            os.write(self.master, keys)
        except OSError as error:
            if error.errno != errno.EIO:
                raise

    async def ends_within(self, seconds: float) -> bool:
        """Wait for the program's end."""
        try:
            async with asyncio.timeout(seconds):
                await self.process.wait()
        except TimeoutError:
            return False
        return True

    async def kill(self) -> None:
        """SIGKILL the program and whatever shares its terminal; it is gone when this returns."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()


async def start_in_terminal(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> TerminalProgram:
    """Start a command as the leader of a terminal of 120 by 40 cells. Raises OSError.

    The clock starts before the fork. The caller must `close` what this returns.
    """
    master, slave = pty.openpty()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.set_blocking(master, False)
        start = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            # These would be believed before the terminal itself.
            env={name: environment[name] for name in environment.keys() - {"COLUMNS", "LINES"}},
            cwd=folder,
            start_new_session=True,
            # A terminal of its own: closing it then hangs the program up, as a window does.
            preexec_fn=_take_terminal,
        )
    except OSError:
        os.close(master)
        raise
    finally:
        os.close(slave)
    recording = Recording()
    asyncio.get_running_loop().add_reader(master, _take, master, recording, start)
    return TerminalProgram(process, master, recording)


def close(program: TerminalProgram) -> None:
    """Stop listening and close the terminal."""
    asyncio.get_running_loop().remove_reader(program.master)
    os.close(program.master)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _take(master: int, recording: Recording, start: float) -> None:
    try:
        piece = os.read(master, _READ_BYTES)
    except BlockingIOError:
        return
    except OSError:
        # Linux reports the end of a pseudo-terminal as an error.
        piece = b""
    if piece:
        recording.pieces.append((time.perf_counter() - start, piece))
    else:
        recording.is_over = True
        asyncio.get_running_loop().remove_reader(master)
    recording.changed.set()
