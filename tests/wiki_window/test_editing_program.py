"""An article in the user's own editor, in a real terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.wiki_window.editing_window import hardened
from tests.wiki_window.test_editing_drafts import ROOT, seen
from tui.bench.terminal import close, start_in_terminal

PAGE = "articles/Welcome.md"
EDIT = """\
import pathlib, sys
file = pathlib.Path(sys.argv[-1])
file.write_bytes(b"From outside. " + file.read_bytes())
print("the program was here", flush=True)
sys.exit({status})
"""


@pytest.mark.parametrize("status", [pytest.param(0, marks=hardened), 3])
async def test_a_program_is_handed_the_article_and_nothing_it_wrote_is_lost(
    tmp_path: Path, status: int
) -> None:
    program = tmp_path / "my editor.py"
    program.write_text(EDIT.format(status=status))
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm",
        "VISUAL": f"{sys.executable} '{program}'",
    }
    command = (sys.executable, "-m", "tests.wiki_window.editing_window", str(tmp_path))
    zib = await start_in_terminal(command, environment, ROOT)
    page = tmp_path / "wiki" / PAGE
    try:
        await seen(zib, b"First steps")
        before = page.read_text()
        zib.type(b"\x07")
        await seen(zib, b"the program was here")
        if status:
            await seen(zib, b"ended with status 3")
            await seen(zib, b"column 1")
            await seen(zib, b"rom outside.")
            assert page.read_text() == before
            zib.type(b"\x13")
        await seen(zib, b"Saved.")
        assert page.read_text() == f"From outside. {before}"
    finally:
        await zib.kill()
        close(zib)
