"""What is typed outlives the program that it was typed in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vault.drafts import Draft, Drafts, drafts_dir
from vault.errors import DraftFailed

TYPED = """
import sys, time
from pathlib import Path
from vault.drafts import Draft, Drafts
Drafts(Path(sys.argv[1])).keep(Draft(path="articles/A.md", base="a", text=sys.argv[2], line=3))
print("kept", flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return drafts_dir(tmp_path / "data", tmp_path / "wiki")


def typing(folder: Path, text: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", TYPED, str(folder), text]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "kept\n"
    return child


def test_a_killed_window_leaves_its_draft_and_a_living_one_keeps_it(folder: Path) -> None:
    child = typing(folder, "half a sent")
    drafts = Drafts(folder)
    try:
        assert drafts.left_behind() == ()
    finally:
        child.kill()
        child.wait()
    (draft,) = drafts.left_behind()
    assert (draft.path, draft.base, draft.text, draft.line) == (
        "articles/A.md",
        "a",
        "half a sent",
        3,
    )
    drafts.forget(draft)
    assert drafts.left_behind() == ()


def test_two_windows_type_into_one_page_without_harm(folder: Path) -> None:
    child = typing(folder, "theirs")
    own = Drafts(folder)
    own.keep(Draft(path="articles/A.md", base="a", text="mine"))
    child.kill()
    child.wait()
    assert [draft.text for draft in own.left_behind()] == ["theirs"]
    own.drop("articles/A.md")
    assert [draft.text for draft in own.left_behind()] == ["theirs"]


def test_the_newest_text_replaces_the_former(folder: Path) -> None:
    drafts = Drafts(folder)
    for text in ("one", "two \ud800 three"):
        drafts.keep(Draft(path="articles/Ü.md", base=None, text=text))
    (file,) = folder.iterdir()
    assert "two ? three" in file.read_text("utf-8")
    drafts.drop("articles/Ü.md")
    assert list(folder.iterdir()) == []


def test_a_damaged_draft_hides_no_other(folder: Path) -> None:
    child = typing(folder, "whole")
    child.kill()
    child.wait()
    (folder / f"{'0' * 32}-1.json").write_bytes(b"\0\xff")
    assert [draft.text for draft in Drafts(folder).left_behind()] == ["whole"]


def test_no_room_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    drafts = Drafts(tmp_path / "file" / "drafts")
    with pytest.raises(DraftFailed, match=r"not kept for a crash: .*\. Save with Ctrl\+S\."):
        drafts.keep(Draft(path="a.md", base=None, text="x"))
