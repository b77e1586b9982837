"""The documents say what is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.file_map import with_map
from tui.verbs import VERBS

ROOT = Path(__file__).resolve().parent.parent


def test_the_file_map_is_up_to_date() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_map(readme) == readme, "run: python docs/file_map.py --write"


def test_every_file_named_in_the_architecture_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:tui|engine|vault|tests|themes)/[\w/.]+)`", text))
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("command", ["ask", "bench", "config", "doctor", "paths"])
def test_the_readme_names_every_command(command: str) -> None:
    assert f"zib {command}" in (ROOT / "README.md").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tui", command, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert command in done.stdout


def test_the_readme_names_the_keys_of_the_footer() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    keys = {verb.keys for verb in VERBS if verb.is_in_footer}
    assert [key for key in keys if key.replace("escape", "esc") not in readme] == []
