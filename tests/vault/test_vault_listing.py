import os
from pathlib import Path

import pytest

from vault.listing import Folder, list_vault
from vault.vault import Vault


def tree(folder: Folder) -> dict[str, object]:
    inner: dict[str, object] = {found.name: tree(found) for found in folder.folders}
    return inner | {note.path.rpartition("/")[2]: note.title for note in folder.notes}


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_our_wiki_shows_its_four_folders(wiki: Vault) -> None:
    write(wiki.root, "articles/Art/Lens.md", "private.md", "Other/x.md", "articles/a.png")
    listing = wiki.listing()
    assert listing.is_ours
    assert [folder.name for folder in listing.top.folders] == [
        *("articles", "Talk", "Meta", "Reference")
    ]
    articles = tree(listing.top.folders[0])
    assert articles["Art"] == {"Lens.md": "Lens"}
    assert articles["Writing_articles.md"] == "Writing articles"
    assert {note.path for note in listing.notes}.isdisjoint({"private.md", "Other/x.md"})
    assert listing.problems == ()


def test_a_foreign_folder_shows_every_note_in_its_place(tmp_path: Path) -> None:
    write(
        tmp_path,
        *("b.md", "A.md", "é.MD", "Daily/2026-01-01.md", "Daily/sub/x y_z.md", "empty/pic.png"),
        *(".obsidian/x.md", ".trash/y.md", "node_modules/z.md", ".hidden.md", "b.md~", "#b.md"),
    )
    listing = list_vault(tmp_path)
    assert tree(listing.top) == {
        "Daily": {"sub": {"x y_z.md": "x y_z"}, "2026-01-01.md": "2026-01-01"},
        "node_modules": {"z.md": "z"},
        "A.md": "A",
        "b.md": "b",
        "é.MD": "é",
    }
    assert [note.path for note in listing.notes][-3:] == ["A.md", "b.md", "é.MD"]
    assert not listing.is_ours


def test_links_are_not_followed_out_or_in_circles(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    write(root, "a.md", "inner/b.md")
    write(tmp_path, "outside/secret.md")
    (root / "circle").symlink_to(root)
    (root / "inner/up").symlink_to("..")
    (root / "away").symlink_to(tmp_path / "outside")
    (root / "secret.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "dangling.md").symlink_to("nowhere.md")
    (root / "again.md").symlink_to("a.md")
    assert [note.path for note in list_vault(root).notes] == ["inner/b.md", "a.md", "again.md"]


def test_what_is_no_file_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    assert list_vault(tmp_path).notes == ()


def test_a_name_that_is_not_utf8_is_listed_safely(tmp_path: Path) -> None:
    write(tmp_path, os.fsdecode(b"caf\xe9.md"), "tab\tand\nline.md")
    first, second = list_vault(tmp_path).notes
    assert {first.title, second.title} == {"caf\ufffd", "tab\tand\nline"}
    for note in (first, second):
        note.title.encode()
        assert (tmp_path / note.path).read_text() == "x"


@pytest.mark.parametrize("levels", [60, 200])
def test_a_very_deep_tree_is_listed_or_reported(tmp_path: Path, levels: int) -> None:
    write(tmp_path, "/".join(["d"] * levels) + "/x.md", "top.md")
    listing = list_vault(tmp_path)
    assert len(listing.notes) == (2 if levels == 60 else 1)
    assert len(listing.problems) == (0 if levels == 60 else 1)


def test_an_unreadable_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "open/a.md", "shut/b.md")
    real = os.scandir

    def scandir(path: Path) -> "os._ScandirIterator[str]":
        if Path(path).name == "shut":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    listing = list_vault(tmp_path)
    assert [note.path for note in listing.notes] == ["open/a.md"]
    assert [(problem.path, "permissions" in problem.reason) for problem in listing.problems] == [
        ("shut", True)
    ]


def test_a_root_that_is_gone_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    listing = list_vault(tmp_path / "gone")
    assert listing.notes == ()
    assert len(listing.problems) == 1
