"""What is typed outlives the program: kept outside the wiki, offered again, gone once saved."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.wiki_window.editing_window import Window, hardened, window
from tests.wiki_window.test_editing_outside import choose
from tui.bench.terminal import close, start_in_terminal
from tui.widgets.wiki.editing.drafts import SECONDS_UNTIL_KEPT
from vault.drafts import Draft, Drafts, drafts_dir

PAGE = "articles/Welcome.md"
ROOT = Path(__file__).parents[2]


def drafts_of(folder: Path) -> Drafts:
    return Drafts(drafts_dir(folder / "data", folder / "wiki"))


def leave_behind(folder: Path, draft: Draft) -> None:
    """As a window that is gone left it: its process had another beginning."""
    keeper = drafts_of(folder)
    keeper._started = 1.0
    keeper.keep(draft)


async def test_a_kill_loses_at_most_two_seconds_of_typing(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = (sys.executable, "-m", "tests.wiki_window.editing_window", str(tmp_path))
    zib = await start_in_terminal(command, environment, ROOT)
    try:
        await seen(zib, b"First steps")
        zib.type(b"\x1bOS")
        await seen(zib, b"column 1")
        typed: list[tuple[float, str]] = []
        end = time.monotonic() + 4
        while time.monotonic() < end:
            word = f"w{len(typed)} "
            zib.type(word.encode())
            typed.append((time.monotonic(), word))
            await asyncio.sleep(0.05)
        # What the terminal still had in its queue was never typed, as far as the program knows.
        await seen(zib, typed[-1][1].strip().encode(), seconds=20)
        killed = time.monotonic()
        os.kill(zib.process.pid, signal.SIGKILL)
        await zib.process.wait()
    finally:
        close(zib)
    (draft,) = drafts_of(tmp_path).left_behind()
    kept = draft.text[: draft.text.index("# Welcome")]
    wanted = "".join(word for at, word in typed if at < killed - 2)
    assert wanted
    assert kept.startswith(wanted)


async def seen(zib: object, words: bytes, seconds: float = 60) -> None:
    """Wait until the terminal was sent something."""
    recording = zib.recording  # type: ignore[attr-defined]  # a TerminalProgram
    deadline = time.monotonic() + seconds
    while words not in recording.output:
        assert time.monotonic() < deadline, recording.output[-2000:]
        await asyncio.sleep(0.05)


def test_a_draft_is_kept_well_within_two_seconds() -> None:
    assert SECONDS_UNTIL_KEPT <= 1.0


@pytest.mark.parametrize(
    "way",
    [
        "Recover it",
        pytest.param("Discard it", marks=hardened),
        pytest.param("Not now", marks=hardened),
    ],
)
async def test_a_draft_left_behind_is_offered_when_its_page_is_edited(
    tmp_path: Path, way: str
) -> None:
    async with window(tmp_path) as here:
        before = here.page(PAGE).read_text()
    leave_behind(tmp_path, Draft(path=PAGE, base=before, text=f"kept {before}", column=5))
    async with window(tmp_path) as here:
        await here.hear("/drafts brings it back")
        await here.see("1 unsaved text · d lists")
        await here.edit(PAGE)
        await choose(here, "Difference")
        await here.see("The page (-) and the draft (+)")
        await here.press("escape")
        await choose(here, way)
        await here.pilot.pause()
        left = drafts_of(tmp_path).left_behind()
        if way == "Recover it":
            await here.until(lambda: here.editor.text == f"kept {before}", "the draft")
            assert here.editing.is_dirty
            assert here.editor.cursor_location == (0, 5)
            await here.press("ctrl+s")
            await here.hear("Saved.")
            assert here.page(PAGE).read_text() == f"kept {before}"
            assert drafts_of(tmp_path)._all() == []
        else:
            assert here.editor.text == before
            await here.until(
                lambda: len(drafts_of(tmp_path).left_behind()) == (way == "Not now"), "the draft"
            )
        del left


@hardened
async def test_a_draft_of_an_older_version_is_merged(tmp_path: Path) -> None:
    async with window(tmp_path, {"articles/A.md": "# A\n\none\n\ntwo\n"}) as here:
        draft = Draft(path="articles/A.md", base="# A\n\n1\n\ntwo\n", text="# A\n\n1\n\ntwo!\n")
        leave_behind(tmp_path, draft)
        await here.run("drafts")
        await here.see("articles/A.md")
        await here.press("enter")
        await choose(here, "Recover it")
        await here.until(lambda: here.editor.text.endswith("two!\n"), "the draft")
        await here.press("ctrl+s")
        await here.hear("merged")
        assert here.page("articles/A.md").read_text() == "# A\n\none\n\ntwo!\n"


@hardened
async def test_a_draft_of_a_page_that_is_gone_can_be_saved(tmp_path: Path) -> None:
    leave_behind(tmp_path, Draft(path="articles/Gone.md", base="# Gone\n", text="# Gone\n\nmore\n"))
    async with window(tmp_path) as here:
        await here.run("drafts")
        await here.press("enter")
        await choose(here, "Recover it")
        await here.until(lambda: here.editor.text.endswith("more\n"), "the draft")
        await here.press("ctrl+s")
        await choose(here, "Save it again")
        await here.hear("Saved")
        assert here.page("articles/Gone.md").read_text() == "# Gone\n\nmore\n"


@hardened
async def test_leaving_without_saving_leaves_no_draft(tmp_path: Path) -> None:
    async with window(tmp_path) as here:
        await here.edit(PAGE)
        await here.press(*"typed ")
        here.editing.keep_draft()
        assert kept(here) != []
        await here.press("escape")
        await here.see("The text is not saved.")
        await here.pilot.click("#discard")
        await here.until(lambda: not here.editing.is_open, "reading again")
        assert kept(here) == []


def kept(here: Window) -> list[Draft]:
    return drafts_of(here.wiki.parent)._all()
