"""Where the history is kept: never a `.git` in a folder of the user's, never a commit in his."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.vault.conftest import PlainGit
from tests.vault.moving_vault import pages_of
from vault.consent import Consents
from vault.errors import HistoryUnavailable
from vault.history.commit import Committed
from vault.history.home import find_home, history_dir, is_in_cloud
from vault.history.moved_home import continue_history, histories_that_fit
from vault.history.state import Skipped, SkipReason
from vault.vault import Vault, open_vault


def adopted(root: Path, data: Path) -> Vault:
    """A folder of the user's, with what he lets us do kept in the data folder."""
    return open_vault(root, Consents(data / "consents"), data)


def hidden(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob(".*") if path.name != ".obsidian")


@pytest.mark.parametrize("where", ["v", "repository/notes"])
def test_a_folder_of_the_users_has_its_history_elsewhere(
    tmp_path: Path, git: PlainGit, where: str
) -> None:
    root, data = tmp_path / where, tmp_path / "data"
    root.mkdir(parents=True)
    (root / "top.md").write_text("# Top\n\n[[deep]]\n")
    (root / "sub").mkdir()
    (root / "sub/deep.md").write_text("one\n")
    owner = root.parent if "repository" in where else root
    git(owner, "init", "-q", "-b", "main")
    git(owner, "add", ".")
    git(owner, "commit", "-qm", "His")
    state = git(owner, "rev-parse", "HEAD"), sorted(owner.rglob(".git/**"))

    vault = adopted(root, data)
    with pytest.raises(HistoryUnavailable, match="not made by zib"):
        vault.log("top.md")
    assert not (data / "histories").exists()
    vault.agree()
    recovered = vault.recover()
    assert isinstance(recovered, Committed)
    assert [revision.subject for revision in vault.log("sub/deep.md")] == ["Recover changes"]

    written = vault.save("sub/deep.md", "two\n", vault.read("sub/deep.md"))
    assert isinstance(written.commit, Committed)
    moved = vault.moves.carry_out(vault.moves.plan_rename("sub/deep.md", "Deeper"))
    assert isinstance(moved.commit, Committed)
    vault.moves.carry_out(vault.moves.plan_delete("top.md"))
    assert vault.history.text(vault.history.find("top.md", "@1")) == "# Top\n\n[[Deeper]]\n"
    (root / "sub/Deeper.md").write_text("three\n")
    (root / "late.md").write_text("made elsewhere\n")
    reopened = adopted(root, data)
    assert isinstance(reopened.recover(), Committed)
    (root / "late.md").unlink()
    assert isinstance(reopened.recover(), Committed), "a deletion at the top is seen"
    reopened.history.restore("sub/Deeper.md", reopened.history.find("sub/Deeper.md", "@3"))
    assert pages_of(reopened) == {"sub/Deeper.md": "one\n"}
    assert [line.revision.subject[:8] for line in reopened.history.blame("sub/Deeper.md")] == [
        "Restore "
    ]
    reopened.history.undo("@0")
    assert pages_of(reopened) == {"sub/Deeper.md": "three\n"}

    assert (git(owner, "rev-parse", "HEAD"), sorted(owner.rglob(".git/**"))) == state
    assert hidden(root) == ([".git"] if owner == root else [])
    own = history_dir(data, root)
    assert git(data, f"--git-dir={own}", "status", "--porcelain") == ""
    assert git(data, f"--git-dir={own}", "fsck", "--strict", "--no-dangling") == ""


def test_a_save_before_the_first_start_is_over_keeps_the_first_text(tmp_path: Path) -> None:
    root = tmp_path / "v"
    root.mkdir()
    (root / "a.md").write_text("first\n")
    vault = adopted(root, tmp_path / "data")
    vault.agree()
    vault.save("a.md", "second\n", vault.read("a.md"))
    assert [vault.history.text(each) for each in vault.log("a.md")] == ["second\n", "first\n"]


def test_without_a_data_folder_nothing_is_committed(tmp_path: Path) -> None:
    root = tmp_path / "v"
    root.mkdir()
    (root / "a.md").write_text("first\n")
    vault = open_vault(root, Consents(tmp_path / "consents"))
    vault.agree()
    written = vault.save("a.md", "second\n", vault.read("a.md"))
    assert isinstance(written.commit, Skipped)
    assert written.commit.reason is SkipReason.NOT_OURS
    assert hidden(root) == []


def test_a_wiki_of_ours_in_a_repository_or_cloud_makes_no_git_there(
    tmp_path: Path, git: PlainGit
) -> None:
    git(tmp_path, "init", "-q")
    for name in ("inside", "Dropbox/wiki"):
        root, data = tmp_path / name, tmp_path / "home/data"
        vault = open_vault(root, None, data)
        assert isinstance(vault.set_up.commit, Committed)
        assert not (root / ".git").exists()
        assert isinstance(vault.create("Page").commit, Committed)
        assert len(vault.log("articles/Page.md")) == 1
        assert git(tmp_path, "status", "--porcelain", "--", name) != ""
    shutil.rmtree(tmp_path / ".git")
    reopened = open_vault(tmp_path / "inside", None, tmp_path / "home/data")
    assert len(reopened.log("articles/Page.md")) == 1, "what was begun there stays there"


def test_a_wiki_that_has_its_own_history_keeps_it(tmp_path: Path, git: PlainGit) -> None:
    root = tmp_path / "Dropbox" / "wiki"
    open_vault(root).create("Page")
    vault = open_vault(root, None, tmp_path / "data")
    assert len(vault.log("articles/Page.md")) == 1
    (root / ".git").rename(tmp_path / "away")
    (root / ".git").write_text(f"gitdir: {tmp_path / 'away'}\n")
    elsewhere = open_vault(root, None, tmp_path / "data")
    assert isinstance(elsewhere.recover(), Committed)
    assert git(tmp_path, "--git-dir=away", "log", "--format=%s").count("\n") == 2


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("Library/Mobile Documents/iCloud~md~obsidian/Documents/v", True),
        ("Library/CloudStorage/GoogleDrive-me/v", True),
        ("Dropbox (Personal)/v", True),
        ("OneDrive - Firm/v", True),
        ("synced/v", True),
        ("Mobile Documents/v", False),
        ("plain/v", False),
    ],
)
def test_synchronised_folders_are_known(tmp_path: Path, place: str, expected: bool) -> None:
    root = tmp_path / place
    root.mkdir(parents=True)
    if place.startswith("synced"):
        (root.parent / ".stfolder").mkdir()
    assert is_in_cloud(root) is expected
    home = find_home(root, tmp_path / "data", is_ours=True)
    assert (home.git_dir is not None) is expected


def test_two_folders_never_share_a_history(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert history_dir(data, tmp_path / "a") == history_dir(data, tmp_path / "link")
    assert history_dir(data, tmp_path / "a") != history_dir(data, tmp_path / "b")


def moved_folder(tmp_path: Path) -> tuple[Path, Path, Path]:
    """An adopted folder with two versions of a page, then moved: its old path, new path, data."""
    old, new, data = tmp_path / "old", tmp_path / "elsewhere/new", tmp_path / "data"
    old.mkdir()
    new.parent.mkdir()
    (old / "a.md").write_text("first\n")
    vault = adopted(old, data)
    vault.agree()
    vault.save("a.md", "second\n", vault.read("a.md"))
    old.rename(new)
    return old, new, data


@pytest.mark.parametrize("is_begun", [False, True])
def test_a_moved_folder_keeps_its_history_when_the_user_says_so(
    tmp_path: Path, git: PlainGit, is_begun: bool
) -> None:
    old, new, data = moved_folder(tmp_path)
    vault = adopted(new, data)
    if is_begun:
        vault.agree()
        assert isinstance(vault.recover(), Committed)
        assert len(vault.log("a.md")) == 1
    assert histories_that_fit(vault.home, data) == (old,)
    continue_history(vault.home, data, old)
    vault.agree()
    assert [vault.history.text(each) for each in vault.log("a.md")] == ["second\n", "first\n"]
    assert histories_that_fit(vault.home, data) == ()
    vault.save("a.md", "third\n", vault.read("a.md"))
    own = history_dir(data, new)
    assert git(data, f"--git-dir={own}", "status", "--porcelain") == ""
    assert git(data, f"--git-dir={own}", "rev-list", "--count", "HEAD") == "3\n"
    assert len(list((data / "histories").iterdir())) == (2 if is_begun else 1), "nothing is lost"


def test_no_history_is_taken_from_a_folder_that_is_there_or_unknown(tmp_path: Path) -> None:
    old, new, data = moved_folder(tmp_path)
    shutil.copytree(new, old)
    vault = adopted(new, data)
    assert histories_that_fit(vault.home, data) == ()
    with pytest.raises(HistoryUnavailable, match="still there"):
        continue_history(vault.home, data, old)
    with pytest.raises(HistoryUnavailable, match="No history"):
        continue_history(vault.home, data, tmp_path / "never")
    ours = open_vault(tmp_path / "ours", None, data)
    with pytest.raises(HistoryUnavailable, match="in its own folder"):
        continue_history(ours.home, data, old)
    shutil.rmtree(old)
    (new / "a.md").rename(new / "b.md")
    assert histories_that_fit(vault.home, data) == (), "its pages are others"
