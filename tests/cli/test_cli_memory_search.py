"""`zib memory search`: pages, places and reasons, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tui.cli.commands import app

Memory = Callable[..., Result]


@pytest.fixture
def memory(tmp_path: Path, home: Path) -> Memory:
    """Runs a command in this process, on a wiki in a folder of its own."""

    def run(*arguments: str) -> Result:
        command = ["memory", *arguments, "--wiki", str(tmp_path / "wiki")]
        return CliRunner().invoke(app, command)

    assert run("init").exit_code == 0
    run("new", "Old lens", "--text", "## Care\n\nUse a \x1bsoft cloth. [[Tripod]]")
    return run


def test_pages_are_searched(memory: Memory, home: Path) -> None:
    plain = memory("search", "how", "soft?")
    assert plain.exit_code == 0
    assert plain.stdout.splitlines()[:2] == [
        "Old lens",
        "  articles/Old_lens.md:3  Old lens › Care",
    ]
    assert "\x1b" not in plain.stdout
    told = json.loads(memory("search", "soft", "--json", "--explain").stdout)
    (hit,) = told["hits"]
    assert (hit["path"], hit["title"]) == ("articles/Old_lens.md", "Old lens")
    assert hit["passages"][0]["heading_path"] == ["Old lens", "Care"]
    assert sum(part["points"] for part in hit["parts"]) == pytest.approx(hit["score"], abs=1e-3)
    assert "words (soft)" in memory("search", "soft", "--explain").stdout
    assert list(home.rglob("*.sqlite")), "the index is kept in the data folder"


def test_what_is_not_found_is_said(memory: Memory) -> None:
    missing = memory("search", "soft", "-lens")
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert "No page was found." in missing.stderr
    assert "“Tripod” is not written yet" in memory("search", "tripod").stderr
    memory("new", "Tripod", "--text", "Three legs.")
    assert memory("search", "tripod").stdout.startswith("Tripod\n")
    memory("delete", "Tripod", "--yes")
    assert "Three legs" not in memory("search", "legs").stdout
