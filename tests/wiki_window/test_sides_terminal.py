"""On a real pseudo-terminal, no surface of a hostile wiki sends a command that is not Textual's."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from pathlib import Path

from tests.text.test_text_terminal import DRAWING, TOKEN
from tests.wiki_window import hostile_wiki
from tui.widgets.wiki.panel.tabs import TABS

IS_WHOLE = os.environ.get("ZIB_HARDEN") == "1"
ROWS, COLUMNS = 36, 130
# What names no page of the wiki.
UNNAMED = {"switch_wiki", "wiki_links", "review_edits", "help"}
SILENCE_SECONDS = 60
# Modes of the terminal, cursor and pointer shapes, questions about what it can do: Textual's own.
OWN = re.compile(r"\x1b\[[?<>][\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1b\]22;[a-z]*(?:\x07|\x1b\\)")


def run_tour(folder: Path) -> str:
    """Run it; everything it wrote."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environ = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
    environ["PYTHONPATH"] = str(Path(__file__).parents[2])
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environ.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, hostile_wiki.__file__, str(folder), "whole" if IS_WHOLE else "short"],
        stdin=slave, stdout=slave, stderr=slave, env=environ, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    output = b""
    try:
        while select.select([master], [], [], SILENCE_SECONDS)[0]:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            output += piece
        assert process.wait(timeout=30) == 0, output[-3000:]
    finally:
        process.kill()
        process.wait()
        os.close(master)
    return output.decode("utf-8")


def test_no_surface_of_a_hostile_wiki_commands_the_terminal(tmp_path: Path) -> None:
    written = run_tour(tmp_path)
    tokens = set(TOKEN.findall(written))
    assert {
        each for each in tokens if not (DRAWING.fullmatch(each) or OWN.fullmatch(each))
    } == set()
    said = json.loads((tmp_path / "surfaces.json").read_text())
    assert said.keys() >= {*TABS, *hostile_wiki.tour_of(IS_WHOLE), "article"}
    for surface, text in said.items():
        if surface not in UNNAMED:
            assert "␛]52;c" in text, f"{surface} shows the name as it is:\n{text}"
    assert "[red]x" in said["article"]
