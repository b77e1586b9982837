"""Deeds on a whole wiki: another one opened, a tag renamed, the page of the day, other programs."""

from __future__ import annotations

import os
import stat
from datetime import datetime
from pathlib import Path

import pytest

from tests.tui.conftest import notices, screen_text
from tests.wiki_window.sides_app import (
    SidesApp,
    SidesScreen,
    hardened,
    location,
    made_wiki,
    wait_until,
)
from tui.document.picture_header import read_picture_header
from tui.screens.wiki.outside import file_programs, programs
from tui.widgets.wiki.editing.editor import ArticleEditor

SIZE = (110, 30)


async def test_another_wiki_is_opened_in_the_same_window(tmp_path: Path) -> None:
    made_wiki(tmp_path, {"Lens": "# Lens\n"})
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "[Plain] page.md").write_text("Here before zib. [[Other]]\n")
    kept = {path: path.stat().st_mtime_ns for path in notes.rglob("*")}
    app = SidesApp(location(tmp_path))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "watching" in screen_text(pilot), "the first wiki")
        old = app.pane
        await pilot.press("f4")
        await wait_until(pilot, lambda: "✎" in screen_text(pilot), "the editor")
        app.screen.query_one(ArticleEditor).insert("draft ")
        await app.screen.run_action(f"switch_wiki({str(notes)!r})")
        await wait_until(pilot, lambda: "is not saved" in screen_text(pilot), "a question")
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, SidesScreen), "no question")
        assert app.pane is old, "the text in the editor is not given up"
        await app.screen.run_action(f"switch_wiki({str(notes)!r})")
        await wait_until(pilot, lambda: "Discard" in screen_text(pilot), "the question again")
        await pilot.click("#discard")
        await wait_until(pilot, lambda: "[Plain] page" in screen_text(pilot), "the other wiki")
        assert old._stop_watching.is_set()
        assert not old.session.is_open
        await wait_until(pilot, lambda: "notes · 1 notes not made here" in screen_text(pilot), "it")
        await app.pane._open_at("[Plain] page.md", "", 0)
        await wait_until(pilot, lambda: "Here before zib." in screen_text(pilot), "its page")
        await pilot.press("f8")
        await wait_until(pilot, lambda: "May zib change the notes" in screen_text(pilot), "asking")
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, SidesScreen), "no question")
        assert {path: path.stat().st_mtime_ns for path in notes.rglob("*")} == kept
        await app.screen.run_action("switch_wiki")
        await wait_until(pilot, lambda: "Open which wiki?" in screen_text(pilot), "the recent ones")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "articles/Welcome.md" in screen_text(pilot), "the first")
        await app.screen.run_action(f"switch_wiki({str(tmp_path / 'new')!r})")
        await wait_until(pilot, lambda: "There is nothing in" in screen_text(pilot), "a question")
        await pilot.press("escape")
        await wait_until(pilot, lambda: isinstance(app.screen, SidesScreen), "no question")
        await app.screen.run_action(f"switch_wiki({str(notes / '[Plain] page.md')!r})")
        await wait_until(pilot, lambda: "is a file" in notices(pilot), "the refusal")
    assert not (tmp_path / "new").exists()


async def test_a_tag_is_renamed_after_a_look_and_today_has_a_page(tmp_path: Path) -> None:
    made_wiki(tmp_path, {"Lens": "# Lens\n\n#glass/old\n", "Trip": "---\ntags: [glass]\n---\n"})
    app = SidesApp(location(tmp_path))
    lens = tmp_path / "wiki/articles/Lens.md"
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "watching" in screen_text(pilot), "the wiki")
        await app.screen.run_action("rename_tag")
        await wait_until(pilot, lambda: "Rename which tag?" in screen_text(pilot), "the tags")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "What is #glass to be called?" in screen_text(pilot), "it")
        await pilot.press("ctrl+u", *"optics", "enter")
        question = "Rename #glass to #optics: 2 places on 2 pages"
        await wait_until(pilot, lambda: question in screen_text(pilot), "what would change")
        assert "+ #optics/old" in screen_text(pilot)
        assert lens.read_text() == "# Lens\n\n#glass/old\n"
        await pilot.press("enter")
        await wait_until(pilot, lambda: "#optics/old" in lens.read_text(), "the new name")
        await wait_until(pilot, lambda: "is #optics on 2 pages" in screen_text(pilot), "the news")
        await app.screen.run_action("undo_in_wiki")
        await wait_until(pilot, lambda: "Take back “Rename tag" in screen_text(pilot), "asking")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "#glass/old" in lens.read_text(), "the old name")
        await pilot.press("f8")
        today = f"articles/{datetime.now().astimezone():%Y-%m-%d}.md"
        await wait_until(pilot, lambda: today in screen_text(pilot), "the page of the day")
        await app.screen.run_action("create_article")
        await wait_until(pilot, lambda: "new article called?" in screen_text(pilot), "a question")
        await pilot.press(*"Bag", "enter")
        await wait_until(pilot, lambda: "articles/Bag.md ✎" in screen_text(pilot), "the editor")
    assert (tmp_path / "wiki" / today).is_file()


@hardened
async def test_an_article_is_opened_elsewhere_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    opener = tmp_path / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}.new; mv {told}.new {told}\n')
    opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{opener.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("sys.platform", "linux")
    notes = tmp_path / "a & b; rm"
    (notes / ".obsidian").mkdir(parents=True)
    (notes / "$(x) [y].md").write_text("text")
    app = SidesApp(location(tmp_path, notes))
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "not made here" in screen_text(pilot), "the vault")
        await app.pane._open_at("$(x) [y].md", "", 0)
        await app.screen.run_action("open_outside")
        await wait_until(pilot, lambda: "elsewhere?" in screen_text(pilot), "the question")
        await pilot.press("escape")
        await pilot.pause()
        assert not told.exists()
        await app.screen.run_action("open_outside")
        await wait_until(pilot, lambda: "Obsidian" in screen_text(pilot), "the question again")
        await pilot.press("enter")
        await wait_until(pilot, told.exists, "the program")
    path = str(notes / "$(x) [y].md")
    expected = "%2F" + path[1:].replace("/", "%2F")
    for sign in " &;$()[]":
        expected = expected.replace(sign, f"%{ord(sign):02X}")
    assert told.read_text() == f"obsidian://open?path={expected}\n"


def test_obsidian_is_offered_for_its_own_vaults_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    names = [program.choice.id for program in programs(tmp_path, "a.md", "linux")]
    assert names == ["files"]
    (shown,) = programs(tmp_path, "-rf.md", "darwin")
    assert shown.command == ("/usr/bin/open", "-R", str(tmp_path / "-rf.md"))
    assert programs(tmp_path, "b/a.md", "linux")[0].command[1] == str(tmp_path / "b")
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert programs(tmp_path, "a.md", "linux") == ()


@pytest.mark.parametrize(
    ("name", "content", "offered"),
    [
        ("a.GIF", b"GIF89a\1\0\1\0", ["open", "files"]),
        ("a.command", b"GIF89a\1\0\1\0", ["files"]),
        ("a.gif.desktop", b"GIF89a\1\0\1\0", ["files"]),
        ("a.html", b"GIF89a\1\0\1\0", ["files"]),
        ("gif", b"GIF89a\1\0\1\0", ["files"]),
        ("a.png", b"GIF89a\1\0\1\0", ["files"]),
        ("a.gif", b"#!/bin/sh\n", ["files"]),
    ],
)
def test_only_pictures_of_their_suffix_are_opened(
    name: str, content: bytes, offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda called: f"/usr/bin/{called}")
    found = file_programs(Path("/wiki") / name, read_picture_header(content), "linux")
    assert [program.choice.id for program in found] == offered
