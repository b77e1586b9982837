"""`zib` as a process of its own, in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tui.cli.commands import app

COMMAND = (sys.executable, "-P", "-m", "tui")
RunZib = Callable[..., subprocess.CompletedProcess[bytes]]
Memory = Callable[..., Result]


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


@pytest.fixture
def memory(tmp_path: Path, home: Path) -> Memory:
    """Runs a command of `zib memory` in this process, on a wiki in a folder of its own."""

    def run(*arguments: str, stdin: str | bytes = "") -> Result:
        command = ["memory", *arguments, "--wiki", str(tmp_path / "wiki")]
        return CliRunner().invoke(app, command, input=stdin)

    return run


@pytest.fixture
def wiki(memory: Memory, tmp_path: Path) -> Path:
    """A wiki that was just set up."""
    assert memory("init").exit_code == 0
    return tmp_path / "wiki"
