"""Runs a change of a wiki in a child process that dies at a chosen step of it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

HARDEN = os.environ.get("ZIB_HARDEN") == "1"

# Dies at the n-th call that could change a file; prints how many there were when it lives.
_CHILD = """
import os, signal, sys
from pathlib import Path
from vault.vault import open_vault
import vault.exchange as exchange
vault = open_vault(Path(sys.argv[1]))
{prepare}
events = {{"open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.chmod", "zib.rename"}}
left, seen = int(sys.argv[2]), 0
def hook(event, arguments):
    global seen
    if event in events:
        seen += 1
        if seen == left:
            os.kill(os.getpid(), signal.SIGKILL)
real = exchange._rename
def renaming(*arguments):
    sys.audit("zib.rename")
    return real(*arguments)
exchange._rename = renaming
sys.addaudithook(hook)
{change}
print(seen, flush=True)
"""


def run_child(
    root: Path, moment: int, prepare: str, change: str
) -> subprocess.CompletedProcess[str]:
    """Run `change` after `prepare`, both of which know `vault`; moment 0 lets it live."""
    script = _CHILD.format(prepare=prepare, change=change)
    command = [sys.executable, "-c", script, str(root), str(moment)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def moments(steps: int, sampled: int) -> list[int]:
    """The steps to die at: every one when hardening, else some by a printed seed."""
    if HARDEN:
        return list(range(1, steps + 1))
    seed = random.randrange(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    return sorted(random.Random(seed).sample(range(1, steps + 1), sampled))
