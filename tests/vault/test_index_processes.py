"""Processes for many pages can be started where standard error is a stand-in without a file."""

from __future__ import annotations

import subprocess
import sys

# As Textual replaces it while its window is open.
_CHILD = """
import multiprocessing, sys
from vault.index.reading import start_tracker

class StandIn:
    def fileno(self): return -1
    def write(self, text): return len(text)
    def flush(self): pass

real, sys.stderr = sys.stderr, StandIn()
start_tracker()
multiprocessing.get_context("spawn").Lock()
assert isinstance(sys.stderr, StandIn)
print("made")
"""


def test_a_window_that_holds_standard_error_can_start_readers() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "made\n", done.stderr
