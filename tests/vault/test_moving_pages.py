"""Renames, moves and deletions as a whole: one commit, nothing overwritten, nothing half done."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import make_vault, pages_of
from vault.errors import (
    ArticleExists,
    ArticleMissing,
    ConsentNeeded,
    NotAllowed,
    PageChanged,
    ReadOnlyArticle,
)
from vault.history.commit import Committed
from vault.moving.carry_out import EditedPage
from vault.vault import Vault, open_vault


def write(wiki: Vault, name: str, text: str) -> str:
    path = wiki.create(name).saved.file.path
    wiki.save(path, text, wiki.read(path))
    return path


def test_a_rename_is_one_commit_and_takes_the_heading_along(wiki: Vault, git: PlainGit) -> None:
    lens = write(wiki, "Old lens", "# Old lens\n\n[[Old lens]] and [[#Part]]\n\n## Part\n")
    trip = write(wiki, "Trip", "[[Old_lens|it]] [[old lens#Part]]\n")
    before = git(wiki.root, "rev-list", "--count", "HEAD")
    moved = wiki.moves.carry_out(wiki.moves.plan_rename(lens, "New lens"))
    assert moved.carried.moved == ((lens, "articles/New_lens.md"),)
    assert moved.carried.edited == (
        EditedPage("articles/New_lens.md", 1),
        EditedPage(trip, 2),
    )
    assert moved.carried.skipped == ()
    pages = pages_of(wiki)
    assert pages["articles/New_lens.md"] == "# New lens\n\n[[New lens]] and [[#Part]]\n\n## Part\n"
    assert pages[trip] == "[[New_lens|it]] [[New lens#Part]]\n"
    assert isinstance(moved.commit, Committed)
    assert git(wiki.root, "log", "-1", "--format=%s") == "Rename Old lens to New lens\n"
    assert int(git(wiki.root, "rev-list", "--count", "HEAD")) == int(before) + 1
    assert git(wiki.root, "status", "--porcelain") == ""


def test_a_deletion_can_be_had_back_from_the_history(wiki: Vault, git: PlainGit) -> None:
    page = write(wiki, "Page", "# Page\n")
    (wiki.root / page).write_text("# Page\n\nwritten outside, in no commit\n")
    moved = wiki.moves.carry_out(wiki.moves.plan_delete(page))
    assert (moved.kept_in, moved.carried.deleted) == ("", (page,))
    assert not (wiki.root / page).exists()
    assert "written outside" in git(wiki.root, "show", f"HEAD~1:{page}")
    assert git(wiki.root, "log", "-1", "--format=%s") == "Delete Page\n"
    assert git(wiki.root, "status", "--porcelain") == ""


def test_without_git_a_deleted_page_goes_into_the_trash(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a/P.md": "one", "b/P.md": "two"})
    for path in ("a/P.md", "b/P.md"):
        assert vault.moves.carry_out(vault.moves.plan_delete(path)).kept_in == ".trash"
    kept = sorted((vault.root / ".trash").iterdir())
    assert sorted(path.read_text() for path in kept) == ["one", "two"]
    assert pages_of(vault) == {}


@pytest.mark.parametrize("taken", ["B.md", "b.md", "Ｂ.md".replace("Ｂ", "B")])
def test_no_page_is_overwritten(tmp_path: Path, taken: str) -> None:
    vault = make_vault(tmp_path / "v", {"A.md": "a", taken: "b"})
    with pytest.raises(ArticleExists):
        vault.moves.plan_rename("A.md", "B")
    assert pages_of(vault) == {"A.md": "a", taken: "b"}


def test_a_page_that_appears_in_between_is_not_overwritten(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"A.md": "a", "n.md": "[[A]]"})
    plan = vault.moves.plan_rename("A.md", "B")
    (vault.root / "B.md").write_text("b")
    with pytest.raises(ArticleExists):
        vault.moves.carry_out(plan)
    assert pages_of(vault) == {"A.md": "a", "B.md": "b", "n.md": "[[A]]"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("case.md", "CASE"),
        ("Straße.md", "STRASSE"),
        (unicodedata.normalize("NFD", "Café.md"), "Café"),
    ],
)
def test_only_the_spelling_of_a_name_may_change(tmp_path: Path, old: str, new: str) -> None:
    vault = make_vault(tmp_path / "v", {old: "text", "n.md": f"[[{old[:-3]}]]"})
    vault.moves.carry_out(vault.moves.plan_rename(old, new))
    assert sorted(path.name for path in vault.root.iterdir()) == sorted([f"{new}.md", "n.md"])
    assert (vault.root / f"{new}.md").read_text() == "text"


@pytest.mark.parametrize("who", ["page", "linking"])
def test_a_page_that_changed_meanwhile_stops_everything(tmp_path: Path, who: str) -> None:
    vault = make_vault(tmp_path / "v", {"page.md": "p", "linking.md": "[[page]]"})
    plan = vault.moves.plan_rename("page.md", "new")
    (vault.root / f"{who}.md").write_text("other")
    with pytest.raises(PageChanged, match="nothing was done"):
        vault.moves.carry_out(plan)
    assert set(pages_of(vault)) == {"page.md", "linking.md"}
    assert pages_of(vault)[f"{who}.md"] == "other"


def test_a_page_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x", "n.md": "[[a]]", "m.md": "[[a]]"})
    (vault.root / "n.md").chmod(0o444)
    (vault.root / "latin.md").write_bytes(b"caf\xe9 [[a]]")
    moved = vault.moves.carry_out(vault.moves.plan_rename("a.md", "b"))
    assert [(page.path, page.reason) for page in moved.carried.skipped] == [
        ("latin.md", "it is not UTF-8; convert it to UTF-8 to edit it"),
        ("n.md", "the file is write-protected"),
    ]
    assert moved.carried.edited == (EditedPage("m.md", 1),)
    assert pages_of_bytes(vault)["latin.md"] == b"caf\xe9 [[a]]"


def pages_of_bytes(vault: Vault) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in vault.root.glob("*.md")}


@pytest.mark.parametrize("title", ["", "..", "a/b", "a|b", "[x]", "con", ".hidden", "x" * 300])
def test_a_name_that_does_not_travel_is_refused(tmp_path: Path, title: str) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x"})
    with pytest.raises(NotAllowed):
        vault.moves.plan_rename("a.md", title)


@pytest.mark.parametrize("path", ["../out.md", "/etc/x.md", ".git/x.md", "a/../../x.md", "x.txt"])
def test_no_page_is_moved_out(tmp_path: Path, path: str) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x"})
    with pytest.raises(NotAllowed):
        vault.moves.plan_move("a.md", path)


def test_a_link_is_not_moved_in_the_place_of_its_page(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x"})
    (vault.root / "alias.md").symlink_to("a.md")
    with pytest.raises(NotAllowed, match="symbolic link"):
        vault.moves.plan_rename("alias.md", "b")
    with pytest.raises(NotAllowed, match="symbolic link"):
        vault.moves.carry_out(vault.moves.plan_delete("alias.md"))
    assert (vault.root / "a.md").read_text() == "x"


def test_a_folder_that_is_a_way_out_is_refused(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x"})
    (tmp_path / "out").mkdir()
    (vault.root / "sub").symlink_to(tmp_path / "out")
    with pytest.raises(NotAllowed):
        vault.moves.plan_move("a.md", "sub/a.md")
    assert list((tmp_path / "out").iterdir()) == []


def test_what_comes_with_zib_stays(wiki: Vault) -> None:
    with pytest.raises(ReadOnlyArticle):
        wiki.moves.plan_rename("Reference/Using_Zibaldone.md", "Mine")
    with pytest.raises(ReadOnlyArticle):
        wiki.moves.plan_delete("Reference/Using_Zibaldone.md")
    with pytest.raises(NotAllowed, match="Pages belong in"):
        wiki.moves.plan_move("articles/Welcome.md", "Reference/Welcome.md")


def test_a_page_that_is_not_there_or_not_ours_to_move(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x"})
    with pytest.raises(ArticleMissing):
        vault.moves.plan_delete("b.md")
    with pytest.raises(NotAllowed, match="there already"):
        vault.moves.plan_move("a.md", "a.md")
    foreign = open_vault(vault.root)
    with pytest.raises(ConsentNeeded):
        foreign.moves.plan_rename("a.md", "b")


def test_a_move_into_a_new_folder_keeps_mode_and_time(tmp_path: Path) -> None:
    vault = make_vault(tmp_path / "v", {"a.md": "x"})
    (vault.root / "a.md").chmod(0o640)
    os.utime(vault.root / "a.md", ns=(1, 1_000_000_000))
    vault.moves.carry_out(vault.moves.plan_move("a.md", "new/deep/a.md"))
    status = (vault.root / "new/deep/a.md").stat()
    assert (status.st_mode & 0o777, status.st_mtime_ns) == (0o640, 1_000_000_000)


def test_a_page_that_was_filled_meanwhile_is_not_deleted(wiki: Vault) -> None:
    path = wiki.root / "articles/Empty.md"
    path.write_text("")
    plan = wiki.moves.plan_delete("articles/Empty.md")
    path.write_text("typed meanwhile")
    with pytest.raises(PageChanged):
        wiki.moves.carry_out(plan)
    assert path.read_text() == "typed meanwhile"


@pytest.mark.parametrize("folder", ["articles/a#b", "articles/CON", "articles/x."])
def test_a_page_moves_into_no_folder_that_does_not_travel(wiki: Vault, folder: str) -> None:
    with pytest.raises(NotAllowed):
        wiki.moves.plan_move("articles/Welcome.md", f"{folder}/Welcome.md")


def test_a_page_moves_into_the_folder_of_another_spelling(wiki: Vault) -> None:
    (wiki.root / "articles/Sub").mkdir()
    plan = wiki.moves.plan_move("articles/Welcome.md", "articles/sub/Welcome.md")
    assert plan.change.moves == {"articles/Welcome.md": "articles/Sub/Welcome.md"}
