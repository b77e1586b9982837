"""Starting an engine process and saying how one ended."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from engine.config import EngineConfig, encode_config
from engine.errors import EngineStopped

MLX_MODULE = "engine.worker"
SCRIPTED_MODULE = "engine.scripted"
LOG_LINES = 400


@dataclass(frozen=True, slots=True)
class EngineLaunch:
    """Which engine to start and how."""

    config: EngineConfig
    module: str = MLX_MODULE


class LogRing:
    """The last lines an engine process printed."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LOG_LINES)

    async def drain(self, stream: asyncio.StreamReader) -> None:
        """Read until the process closes its output; never lets the pipe fill up."""
        rest = b""
        while data := await stream.read(64 * 1024):
            *lines, rest = (rest + data).split(b"\n")
            self._lines.extend(line.decode("utf-8", "replace") for line in lines)
            rest = rest[-4096:]
        if rest:
            self._lines.append(rest.decode("utf-8", "replace"))

    @property
    def text(self) -> str:
        """The lines kept, oldest first."""
        return "\n".join(self._lines)


@dataclass(slots=True)
class EngineProcess:
    """A running engine with the terminal's end of its channel."""

    process: asyncio.subprocess.Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    log: LogRing
    draining: asyncio.Task[None] = field(repr=False)

    def kill(self) -> None:
        """SIGKILL the engine and whatever it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    async def wait(self) -> int:
        """Close the channel, wait for the end and collect the log; returns the exit status."""
        self.writer.close()
        status = await self.process.wait()
        await asyncio.wait([self.draining], timeout=1.0)
        self.draining.cancel()
        return status


async def start_engine(launch: EngineLaunch) -> EngineProcess:
    """Spawn the engine in a session of its own. Raises EngineStopped."""
    cache_dir = Path(launch.config.cache_dir)
    ours, theirs = socket.socketpair()
    try:
        cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Never import from the working directory: it may hold anybody's files.
            "-P",
            "-m",
            launch.module,
            str(theirs.fileno()),
            encode_config(launch.config),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            pass_fds=(theirs.fileno(),),
            close_fds=True,
            start_new_session=True,
            cwd=cache_dir,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "TOKENIZERS_PARALLELISM": "false"},
        )
    except OSError as error:
        ours.close()
        raise EngineStopped(f"The engine could not be started: {error}.") from error
    finally:
        theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours)
    log = LogRing()
    assert process.stdout is not None  # asked for above
    return EngineProcess(
        process, reader, writer, log, asyncio.create_task(log.drain(process.stdout))
    )


_SIGNAL_REASONS = {
    signal.SIGKILL: "the system stopped it, most often because memory ran out",
    signal.SIGSEGV: "it crashed on a memory error, most often because memory ran out",
    signal.SIGABRT: "it gave up after an internal error",
    signal.SIGBUS: "it lost a file it was reading, or memory ran out",
    signal.SIGTERM: "it was asked to end",
}


def describe_exit(status: int) -> str:
    """Why an engine process ended, as the middle of a sentence; `status` as subprocess gives it."""
    if status >= 0:
        return f"it ended with exit status {status}"
    try:
        signal_number = signal.Signals(-status)
    except ValueError:
        return f"signal {-status} ended it"
    reason = _SIGNAL_REASONS.get(signal_number, "a signal ended it")
    return f"{reason} ({signal_number.name})"
