"""Standard streams that may be closed, full, or too old for our letters, without a traceback."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

EXIT_FAILED = 1
_OUTPUT_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})


def guard_streams(command: Callable[[], None]) -> None:
    """Run a command; output that cannot be written ends the program with one sentence."""
    fill_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            command()
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            _give_up_output()
            sys.exit(0)
        if error.errno not in _OUTPUT_ERRORS:
            raise
        sys.stderr.write(f"zib: The output could not be written: {error.strerror}.\n")
        _give_up_output()
        sys.exit(EXIT_FAILED)


def fill_missing_streams() -> None:
    """Give a closed stream the null device, lest the next opened file take its number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    null = Path(os.devnull)
    sys.stdin = sys.stdin or null.open()
    sys.stdout = sys.stdout or null.open("w")
    sys.stderr = sys.stderr or null.open("w")


def write_json(document: bytes) -> None:
    """A JSON document is UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write(document + b"\n")
    sys.stdout.buffer.flush()


def _give_up_output() -> None:
    """What is still buffered goes nowhere, so that Python does not complain at exit."""
    number = os.open(os.devnull, os.O_WRONLY)
    os.dup2(number, 1)
    os.close(number)
