"""What copying does to the system's clipboard, and what is said of it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tui.screens.clipboard import Outcome, copy_to_system, is_remote, told

TOOLS: list[tuple[str, Outcome]] = [
    ('case "$*" in *-o*) cat "$HOME/clip";; *) cat > "$HOME/clip";; esac', "copied"),
    ("cat > /dev/null; echo noise; echo noise >&2; exit 1", "failed"),
    ("sleep 60", "silent"),
    ("", "no-tool"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="the tool is an xclip of our own")
@pytest.mark.parametrize(("script", "outcome"), TOOLS, ids=[each for _, each in TOOLS])
async def test_every_way_a_clipboard_tool_behaves(
    script: str,
    outcome: Outcome,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    if script:
        (tools / "xclip").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "xclip").chmod(0o700)
        for name in ("cat", "sleep", "which"):
            (tools / name).symlink_to(f"/usr/bin/{name}")
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    text = "x = 1\n\n界 🙂 [/red]\n"
    began = time.monotonic()
    # Python itself takes its time to start on a busy machine.
    seconds = 1.5 if outcome == "silent" else 60
    assert await copy_to_system(text, seconds) == outcome
    assert outcome != "silent" or time.monotonic() - began < 30
    if outcome == "copied":
        assert (tmp_path / "clip").read_text() == text
    assert capfd.readouterr() == ("", "")


def test_what_is_said_claims_no_more_than_is_known() -> None:
    assert told("copied", 1234) == "1,234 characters copied."
    others: tuple[Outcome, ...] = ("no-tool", "failed", "silent", "remote")
    for outcome in others:
        assert "was asked to copy 7 characters." in told(outcome, 7)
        assert "no more than 100,000" in told(outcome, 100_001)


@pytest.mark.parametrize(
    ("environment", "is_far"),
    [({}, False), ({"SSH_TTY": ""}, False), ({"SSH_TTY": "/dev/pts/1"}, True)],
)
def test_over_ssh_only_the_terminal_can_copy(environment: dict[str, str], is_far: bool) -> None:
    assert is_remote({**environment, "PATH": os.defpath}) == is_far
