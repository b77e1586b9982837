"""Run one of our own modules as a child process that cannot outlive us."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

READ_BYTES = 1 << 16
LONGEST_LINE = 1 << 16


async def run_module(
    module: str,
    arguments: Sequence[str],
    on_line: Callable[[str], None],
    extra_environment: Mapping[str, str] | None = None,
) -> int:
    """Run `python -P -m module arguments` and return its exit status (-N: killed by signal N).

    `on_line` gets every line of its output and errors. The child's standard input is a pipe that
    stays open while we live; leaving early, by cancellation too, kills the child's whole session.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        module,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, **(extra_environment or {})},
    )
    try:
        if process.stdout is not None:
            async for line in _lines(process.stdout):
                on_line(line)
        return await process.wait()
    finally:
        if process.returncode is None:
            _kill_session(process.pid)
            await process.wait()


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    pending = b""
    while chunk := await stream.read(READ_BYTES):
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace").rstrip("\r")
        pending = pending[-LONGEST_LINE:]
    if pending:
        yield pending.decode(errors="replace")


def _kill_session(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return
