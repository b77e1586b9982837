import json
from pathlib import Path

import pytest

from vault.obsidian import Conventions, Exclusions, is_obsidian_vault, read_conventions
from vault.vault import open_vault


def write(root: Path, **tables: object) -> None:
    (root / ".obsidian").mkdir(exist_ok=True)
    for name, table in tables.items():
        file = root / ".obsidian" / (name.replace("_", "-") + ".json")
        file.write_text(table if isinstance(table, str) else json.dumps(table))


def test_a_plain_folder_has_the_defaults(tmp_path: Path) -> None:
    assert not is_obsidian_vault(tmp_path)
    assert read_conventions(tmp_path) == Conventions()


def test_every_setting_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        app={
            "newLinkFormat": "relative",
            "useMarkdownLinks": True,
            "alwaysUpdateLinks": False,
            "userIgnoreFilters": ["Templates/", "/^Archive/"],
            "newFileLocation": "folder",
            "newFileFolderPath": "Inbox/",
            "attachmentFolderPath": "./files",
        },
        daily_notes={"folder": "/Daily", "format": "YYYY/MM/DD", "template": "Templates/day"},
        templates={"folder": "Templates"},
    )
    assert is_obsidian_vault(tmp_path)
    assert read_conventions(tmp_path) == Conventions(
        link_style="relative",
        writes_markdown_links=True,
        is_updating_links=False,
        excluded=("Templates/", "/^Archive/"),
        new_notes="folder",
        new_notes_folder="Inbox",
        attachments_folder="./files",
        templates_folder="Templates",
        daily_folder="Daily",
        daily_format="YYYY/MM/DD",
        daily_template="Templates/day",
    )


@pytest.mark.parametrize(
    "table",
    [
        {"newLinkFormat": "sideways", "useMarkdownLinks": "yes", "newFileLocation": None},
        {"newLinkFormat": ["relative"], "userIgnoreFilters": "Templates"},
        {"userIgnoreFilters": [1, None, "", "  "], "newFileFolderPath": 7},
        {"attachmentFolderPath": "../outside", "newFileFolderPath": "a/../../b"},
        {"attachmentFolderPath": "./../x", "newFileFolderPath": ".git"},
    ],
)
def test_what_makes_no_sense_counts_as_unset(tmp_path: Path, table: object) -> None:
    write(tmp_path, app=table)
    found = read_conventions(tmp_path)
    assert found.new_notes_folder == ""
    assert found.excluded == ()
    assert found.attachments_folder in {"", "./"}
    assert (found.link_style, found.new_notes) == ("shortest", "root")
    assert not found.writes_markdown_links


@pytest.mark.parametrize(
    "text",
    ["{", "[1]", '"x"', "[" * 100_000, "{}" + " " * (1 << 20)],
    ids=["cut", "list", "text", "deep", "long"],
)
def test_a_broken_file_is_reported_or_ignored(tmp_path: Path, text: str) -> None:
    write(tmp_path, app=text, templates={"folder": "T"})
    found = read_conventions(tmp_path)
    assert found.link_style == "shortest"
    assert found.templates_folder == "T"
    assert len(found.problems) <= 1


def test_a_settings_folder_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "notes"
    outside.mkdir()
    root.mkdir()
    write(outside, app={"useMarkdownLinks": True})
    (root / ".obsidian").symlink_to(outside / ".obsidian")
    found = read_conventions(root)
    assert not found.writes_markdown_links
    assert found.problems


@pytest.mark.parametrize(
    ("filters", "path", "is_excluded"),
    [
        (["Templates/"], "Templates/day.md", True),
        (["Templates/"], "templates/day.md", True),
        (["Templates/"], "My Templates/day.md", False),
        (["Archive"], "Archived.md", True),
        (["/Archive/"], "Notes/archive.md", True),
        (["/^Archive/"], "^Archive/x.md", False),
        ([r"/^\d{4}-/"], "2024-01-02.md", True),
        ([r"/\.excalidraw\.md$/"], "a/b.excalidraw.md", True),
        (["/(/"], "a.md", False),
        (["/"], "a.md", False),
        (["//"], "a.md", False),
        ([r"/(a+)+$/"], "a" * 60 + "!.md", False),
        ([r"/(a+)+$/", "aa"], "a" * 60 + "!.md", True),
        (["Cafe\u0301/"], "Caf\u00e9/x.md", True),
    ],
)
def test_exclusions(filters: list[str], path: str, is_excluded: bool) -> None:
    assert (path in Exclusions(filters)) is is_excluded


def test_excluded_notes_are_listed_and_marked(tmp_path: Path) -> None:
    write(tmp_path, app={"userIgnoreFilters": ["T/"]})
    for name in ("T/a.md", "b.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    listing = open_vault(tmp_path).listing()
    assert {note.path: note.is_excluded for note in listing.notes} == {
        "T/a.md": True,
        "b.md": False,
    }


@pytest.mark.parametrize(
    ("location", "current", "folder"),
    [
        ("root", "x/y.md", ""),
        ("current", "x/y.md", "x"),
        ("current", "y.md", ""),
        ("folder", "x/y.md", "In"),
    ],
)
def test_where_new_notes_go(tmp_path: Path, location: str, current: str, folder: str) -> None:
    write(tmp_path, app={"newFileLocation": location, "newFileFolderPath": "In"})
    assert read_conventions(tmp_path).folder_for_new_note(current) == folder
