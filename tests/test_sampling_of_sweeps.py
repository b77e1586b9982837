"""A run takes the sampled cases of a sweep, the same for one seed, and all when hardened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SWEEP = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", range(12))
def test_sweep(case): ...

@pytest.mark.parametrize("case", range(3))
def test_other(case): ...
"""


def collected(file: Path, **variables: str) -> list[str]:
    """The tests that a run of this file would have."""
    command = (sys.executable, "-m", "pytest", "--collect-only", "-q", "--noconftest", "-p")
    options = ("tests.conftest", "-c", str(ROOT / "pyproject.toml"), str(file))
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        (*command, *options),
        cwd=ROOT,
        env={**kept, "ZIB_HARDEN": "", **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.rpartition("::")[2] for line in done.stdout.splitlines() if "::" in line]


def test_some_cases_run_and_all_when_hardened(tmp_path: Path) -> None:
    file = tmp_path / "test_sweep_of_twelve.py"
    file.write_text(SWEEP)
    first = collected(file, SWEEP_SEED="first")
    assert len(first) == 5
    assert first == collected(file, SWEEP_SEED="first")
    assert first != collected(file, SWEEP_SEED="second")
    assert len(collected(file, ZIB_HARDEN="1")) == 15
