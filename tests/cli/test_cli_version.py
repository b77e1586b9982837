"""`zib --version`."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version


def test_the_version_is_printed() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tui", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"zib {version('zibaldone')}\n"
    assert done.stderr == ""
