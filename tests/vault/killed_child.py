"""Runs a change of a wiki in processes that die at a chosen step of it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

HARDEN = os.environ.get("ZIB_HARDEN") == "1"
# A full sweep is hundreds of deaths, each with a commit and a check by git.
sweep_timeout = pytest.mark.timeout(1800 if HARDEN else 300)

# Forks a process for every moment it is asked for, which saves the start of an interpreter. That
# one dies at the n-th call that could change a file, or begin a git that could; else it prints how
# many there were.
_SERVER = """
import os, signal, sys
from pathlib import Path
import vault.exchange as exchange
from vault.history.git import _command_class
from vault.vault import open_vault
import vault.article.page, vault.merge
_command_class()
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
steps = {{"os.rename", "os.remove", "os.link", "os.mkdir", "os.chmod", "os.truncate", "zib.step"}}
left = seen = 0
is_armed = False
def hook(event, arguments):
    global seen
    if not is_armed:
        return
    opens = event == "open" and isinstance(arguments[2], int) and arguments[2] & writing
    if opens or event in steps or event == "subprocess.Popen":
        seen += 1
        if seen == left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
def stepping(real):
    def call(*arguments, **named):
        sys.audit("zib.step")
        return real(*arguments, **named)
    return call
exchange._rename = stepping(exchange._rename)
os.write, os.fsync = stepping(os.write), stepping(os.fsync)
def change(root, moment):
    global is_armed, left
    vault = open_vault(Path(root))
    {prepare}
    left, is_armed = moment, True
    {change}
    is_armed = False
    print(seen, flush=True)
for line in sys.stdin:
    moment, root = line.rstrip("\\n").split(" ", 1)
    child = os.fork()
    if not child:
        change(root, int(moment))
        os._exit(0)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a change ended; `printed` is what it said before."""

    status: int
    printed: list[str]

    @property
    def was_killed(self) -> bool:
        """Whether it died at its step."""
        return self.status == -signal.SIGKILL


class Changes:
    """Makes one change again and again, each time in a process of its own."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def run(self, root: Path, moment: int) -> Ended:
        """Make it in this wiki and die at the given step; moment 0 lets it live."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(f"{moment} {root}\n")
        self._server.stdin.flush()
        printed: list[str] = []
        for line in self._server.stdout:
            if line.startswith("ended "):
                return Ended(int(line.split()[1]), printed)
            printed.append(line.strip())
        raise AssertionError("the server of changes died")

    def steps(self, root: Path) -> int:
        """Make it in this wiki and count its steps."""
        ended = self.run(root, 0)
        assert ended.status == 0
        return int(ended.printed[-1])


@contextmanager
def changes(prepare: str, change: str) -> Iterator[Changes]:
    """Offer `change` after `prepare`, both single lines that know `vault`."""
    script = _SERVER.format(prepare=prepare or "pass", change=change)
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            yield Changes(server)
        finally:
            server.kill()


def moments(steps: int, sampled: int) -> list[int]:
    """The steps to die at: every one when hardening, else some by a printed seed."""
    assert steps > 40, "a sweep reaches the commit"
    if HARDEN:
        sys.stdout.write(f"{steps} steps\n")
        return list(range(1, steps + 1))
    seed = random.randrange(1 << 32)
    sys.stdout.write(f"seed {seed} of {steps} steps\n")
    return sorted(random.Random(seed).sample(range(1, steps + 1), sampled))
