"""The whole way by keyboard alone, on a real terminal: find, read, follow, edit, clash, restore."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from pathlib import Path

import pyte

from tests.tui.conftest import scripted_wiring
from tests.wiki_window.editing_window import git
from tui.app import ZibApp
from tui.bench.terminal import TerminalProgram, close, start_in_terminal
from vault.vault import open_vault

ROOT = Path(__file__).parents[2]
COLUMNS, ROWS = 120, 40
ENTER, ESCAPE, TAB, SAVE, CUT_LINE = b"\r", b"\x1b", b"\t", b"\x13", b"\x18"
ALONE, JUMP, EDIT, HISTORY = b"\x1bOR", b"\x1b[17~", b"\x1bOS", b"\x1bh"
DOWN, HOME, END = b"\x1b[B", b"\x1b[H", b"\x1b[F"
_PRIVATE = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]")
CAMERA = "# Camera\n\nThe bag holds the [[Lens|fast lens]].\n"
LENS = "# Lens\n\nIt weighs 160 g.\n\n## Notes\n\nBought in March.\n"


class Terminal:
    """What a person at the keyboard does, and sees."""

    def __init__(self, program: TerminalProgram) -> None:
        self._program = program
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._drawn = 0

    @property
    def text(self) -> str:
        """The screen now."""
        pieces = self._program.recording.pieces
        for _, piece in pieces[self._drawn :]:
            # The emulator knows no private modes with `<`, `>` or `=`, and would draw them.
            self._stream.feed(_without_private_modes(piece))
        self._drawn = len(pieces)
        return "\n".join(self._screen.display)

    async def see(self, *words: str, but: str = "") -> None:
        """Wait until all words are on the screen, and `but` is not."""
        deadline = time.monotonic() + 60
        while not all(word in self.text for word in words) or (but and but in self.text):
            assert time.monotonic() < deadline, f"{words}, not {but!r}, in:\n{self.text}"
            await asyncio.sleep(0.03)

    def press(self, *keys: bytes) -> None:
        """Type."""
        for key in keys:
            self._program.type(key)


def _without_private_modes(piece: bytes) -> bytes:
    return _PRIVATE.sub(b"", piece)


def make_wiki(folder: Path) -> Path:
    """A wiki of zib's own with two pages in its history."""
    wiki = folder / "wiki"
    vault = open_vault(wiki)
    for name, text in (("Camera", CAMERA), ("Lens", LENS)):
        (wiki / "articles" / f"{name}.md").write_text(text)
    vault.recover()
    vault.close()
    return wiki


async def test_find_read_follow_edit_conflict_merge_history_restore(tmp_path: Path) -> None:
    wiki = make_wiki(tmp_path)
    lens = wiki / "articles/Lens.md"
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    command = (sys.executable, "-m", "tests.wiki_window.test_journey_terminal", str(tmp_path))
    program = await start_in_terminal(command, environment, ROOT)
    here = Terminal(program)
    try:
        await here.see("11 notes", "Memory")
        here.press(ALONE)
        await here.see("11 notes", but="Memory")
        # Find and read.
        here.press(JUMP)
        await here.see("Jump to an article")
        here.press(b"camer")
        await here.see("Camera")
        here.press(ENTER)
        await here.see("The bag holds the fast lens")
        # Follow.
        here.press(TAB, ENTER)
        await here.see("It weighs 160 g.")
        # Edit, while another program does.
        here.press(EDIT)
        await here.see("line 1, column 1 ")
        here.press(DOWN)
        await here.see("line 2, column 1 ")
        here.press(DOWN, END)
        await here.see("line 3, column 17 ")
        here.press(b" Mine.")
        await here.see("160 g. Mine.")
        lens.write_text(LENS.replace("160 g.", "170 g."))
        await here.see("changed on disk")
        here.press(SAVE)
        await here.see("Changed meanwhile", "Merge")
        here.press(ENTER)
        await here.see("<<<<<<<", "170 g.", ">>>>>>>", but="Changed meanwhile")
        # The cursor is on the first mark; what is theirs is below.
        here.press(CUT_LINE)
        await here.see("=======", but="<<<<<<<")
        here.press(DOWN, CUT_LINE)
        await here.see(">>>>>>>", but="=======")
        here.press(DOWN, CUT_LINE)
        await here.see("170 g.", but=">>>>>>>")
        here.press(SAVE)
        await here.see("Saved")
        merged = lens.read_text()
        assert "160 g. Mine.\n" in merged
        assert "It weighs 170 g.\n" in merged
        here.press(ESCAPE)
        await here.see("It weighs 170 g.", but="column 1")
        # What it was, and back to that.
        here.press(HISTORY)
        await here.see("Restore")
        here.press(END)
        await here.see("Bought in March.")
        here.press(b"r")
        await here.see("Restore", "Leave it")
        here.press(ENTER)
        deadline = time.monotonic() + 30
        while lens.read_text() != LENS:
            assert time.monotonic() < deadline, lens.read_text()
            await asyncio.sleep(0.05)
        here.press(ESCAPE)
        await here.see("It weighs 160 g.", "Contents", but="History of")
        assert git(wiki, "status", "--porcelain") == ""
    finally:
        await program.kill()
        close(program)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    ZibApp(scripted_wiring(where, (), where / "wiki", {})).run()
