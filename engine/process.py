"""Starting an engine process and saying how one ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import engine
from engine.config import EngineConfig, encode_config
from engine.errors import EngineStopped
from engine.log_ring import LogRing, open_log

MLX_MODULE = "engine.worker"
SCRIPTED_MODULE = "engine.scripted"
LOG_GRACE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class EngineLaunch:
    """Which engine to start and how."""

    config: EngineConfig
    module: str = MLX_MODULE


@dataclass(frozen=True, slots=True)
class EngineProcess:
    """A running engine with the terminal's end of its channel."""

    process: asyncio.subprocess.Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    log: LogRing
    log_transport: asyncio.ReadTransport

    async def ends_within(self, seconds: float) -> bool:
        """Whether the process ends by itself in that time."""
        try:
            await asyncio.wait_for(self.process.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def kill(self) -> None:
        """SIGKILL the engine and whatever it started."""
        # macOS answers PermissionError for a group of which only a zombie is left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    async def wait(self) -> int:
        """Wait for the end, collect the log and close everything; returns the exit status."""
        status = await self.process.wait()
        self.writer.transport.abort()
        await self.log.wait_closed(LOG_GRACE_SECONDS)
        self.log_transport.close()
        return status


async def start_engine(launch: EngineLaunch) -> EngineProcess:
    """Spawn the engine in a session of its own.

    Raises EngineStopped with a reason as `describe_exit` gives it.
    """
    with contextlib.ExitStack() as undo:
        try:
            ours, theirs = socket.socketpair()
            undo.callback(theirs.close)
            reader, writer = await asyncio.open_connection(sock=ours)
            abort = undo.enter_context(contextlib.ExitStack())
            abort.callback(writer.transport.abort)
            log_end, their_output = os.pipe()
            undo.callback(os.close, their_output)
            log_transport, log = await open_log(log_end)
            abort.callback(log_transport.close)
            process = await _spawn(launch, theirs.fileno(), their_output)
        except OSError as error:
            raise EngineStopped(f"it could not be started ({error})") from error
        abort.pop_all()
    return EngineProcess(process, reader, writer, log, log_transport)


async def _spawn(launch: EngineLaunch, channel: int, output: int) -> asyncio.subprocess.Process:
    cache_dir = Path(launch.config.cache_dir)
    cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        # Never import from the working directory: it may hold anybody's files.
        "-P",
        "-m",
        launch.module,
        str(channel),
        encode_config(launch.config),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=(channel,),
        close_fds=True,
        start_new_session=True,
        cwd=cache_dir,
        env=_worker_environment(os.environ, Path(engine.__path__[0]).parent),
    )


def _worker_environment(inherited: Mapping[str, str], home: Path) -> dict[str, str]:
    """The environment without PYTHONPATH, which could shadow the standard library.

    The entry through which this package itself (in `home`) was found stays.
    """
    environment = {**inherited, "PYTHONUNBUFFERED": "1", "TOKENIZERS_PARALLELISM": "false"}
    # glibc reserves address space for every thread, more than `ulimit -v` may leave for a model.
    environment.setdefault("MALLOC_ARENA_MAX", "2")
    entries = environment.pop("PYTHONPATH", "").split(os.pathsep)
    if any(entry and Path(entry).resolve() == home.resolve() for entry in entries):
        environment["PYTHONPATH"] = str(home)
    return environment


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
