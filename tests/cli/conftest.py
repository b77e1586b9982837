"""`zib` as a process of its own, in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-P", "-m", "tui")
RunZib = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def zib_environment(home: Path, tiny_model: Path) -> dict[str, str]:
    """The tiny model, and no BLAS search: both cost seconds and are tested elsewhere."""
    return {
        **os.environ,
        "HOME": str(home),
        "ZIB_MODEL": str(tiny_model),
        "ZIB_BLAS": "off",
        "ZIB_CHAT_MAX_TOKENS": "24",
    }


@pytest.fixture
def run_zib(zib_environment: dict[str, str], tmp_path: Path) -> RunZib:
    """Run to the end; `environment` adds to the fixture's."""

    def run(
        *arguments: str | bytes, stdin: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*COMMAND, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**zib_environment, **(environment or {})},
            timeout=120,
        )

    return run
