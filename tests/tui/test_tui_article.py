"""An article in the whole window: tasks, embeds and pictures of a real wiki."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

from tests.tui.conftest import MakeApp, notices, screen_text, wait_until

SIZE = (130, 40)
PAGE = """\
# Page

- [ ] pack the lens
- [x] read

![[Other#Part]]

![A picture](pic.png)

See [[Nowhere at all]] and [[Other]].
"""
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0"


def make_wiki(folder: Path) -> Path:
    """A folder of notes with one page that has everything."""
    folder.mkdir()
    (folder / "Page.md").write_bytes(PAGE.replace("\n", "\r\n").encode())
    (folder / "Other.md").write_text("# Other\n\n## Part\n\nwords from elsewhere\n")
    (folder / "pic.png").write_bytes(PNG)
    return folder


async def test_a_task_is_checked_off_by_one_byte_and_one_commit(
    make_app: MakeApp, tmp_path: Path
) -> None:
    app = make_app()
    wiki = tmp_path / "wiki"
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "articles/Welcome.md" in screen_text(pilot), "the wiki")
        page = wiki / "articles" / "Page.md"
        page.write_bytes(PAGE.encode())
        await wait_until(pilot, lambda: "Page" in screen_text(pilot), "the note in the tree")
        await pilot.press(*"/open Page", "enter")
        await wait_until(pilot, lambda: "☐ pack the lens" in screen_text(pilot), "the task")
        app.screen.query_one("#article-document").focus()
        await pilot.press("x")
        await wait_until(pilot, lambda: "☑ pack the lens" in screen_text(pilot), "the mark")
        assert page.read_bytes() == PAGE.replace("[ ]", "[x]", 1).encode()
        await pilot.press("x")
        await wait_until(pilot, lambda: "☐ pack the lens" in screen_text(pilot), "no mark")
        assert page.read_bytes() == PAGE.encode()
    log = subprocess.run(
        ["git", "-C", str(wiki), "log", "--format=%s", "--", "articles/Page.md"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert log.stdout.splitlines()[:2] == ["Edit Page", "Edit Page"]


async def test_a_folder_of_someone_else_keeps_its_tasks_and_shows_its_pictures(
    make_app: MakeApp, tmp_path: Path
) -> None:
    folder = make_wiki(tmp_path / "notes")
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    app = make_app(wiki=folder)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "Page" in screen_text(pilot), "the note in the tree")
        await pilot.press(*"/open Page", "enter", "f3")
        await wait_until(pilot, lambda: "☐ pack the lens" in screen_text(pilot), "the task")
        shown = screen_text(pilot)
        assert "words from elsewhere" in shown
        assert "PNG 640 × 480" in shown
        assert "Nowhere at all⁺" in shown
        app.screen.query_one("#article-document").focus()
        await pilot.press("x")
        await wait_until(pilot, lambda: "cannot be changed" in notices(pilot), "the refusal")
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before
