"""The verbs for the open article: rename, move, delete, talk, make, extract, properties, copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.tui.conftest import notices, wait_until
from tests.wiki_window.editing_window import git, hardened, window
from tests.wiki_window.test_editing_outside import choose
from tui.screens.history.versions import VersionList
from tui.screens.wiki.outside_editor import NoEditor, editor_command
from tui.widgets.wiki.pins import Pins
from vault.conflicts import ConflictCopy, find_conflict_copies

PAGES = {
    "articles/Lens.md": "# Lens\n\nText.\n",
    "articles/Bag.md": "# Bag\n\nHolds the [[Lens]] and [[lens|it]].\n",
}


async def test_a_rename_shows_what_changes_and_can_be_taken_back(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        pins = Pins(here.pane.session.location.data_dir, here.wiki)
        pins.toggle("articles/Lens.md")
        await here.open("articles/Lens.md")
        await here.run("rename_article")
        await here.see("What is “Lens” to be called?")
        await here.press("ctrl+u", *"Glass", "enter")
        await here.see("Rename “Lens” to “Glass”?")
        await here.see("articles/Bag.md:")
        await here.press("enter")
        await here.hear("Renamed. Links on 1 page follow.")
        assert here.page("articles/Glass.md").read_text() == "# Glass\n\nText.\n"
        bag = here.page("articles/Bag.md")
        assert bag.read_text() == "# Bag\n\nHolds the [[Glass]] and [[Glass|it]].\n"
        await here.see("articles/Glass.md")
        await wait_until(here.pilot, lambda: pins.read() == ("articles/Glass.md",), "the pin")
        await here.run("undo_in_wiki")
        await here.see("Take back “Rename Lens to Glass”?")
        await here.press("enter")
        await here.hear("Taken back.")
        assert here.page("articles/Lens.md").read_text() == PAGES["articles/Lens.md"]
        assert bag.read_text() == PAGES["articles/Bag.md"]
        await wait_until(here.pilot, lambda: pins.read() == ("articles/Lens.md",), "the pin back")


async def test_what_history_restores_is_told_of_once(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await here.edit("articles/Lens.md")
        await here.press("x", "ctrl+s")
        await here.until(lambda: not here.editing.is_dirty, "the save")
        await here.run("page_history")
        await here.see("History of articles/Lens.md")
        versions = here.pilot.app.screen.query_one(VersionList)
        await here.until(lambda: versions.option_count > 1, "its versions")
        await here.press("down", "r")
        await here.see("Make “articles/Lens.md” what it was?")
        await here.press("enter")
        await here.hear("Restored.")
        await here.until(lambda: here.editor.text == PAGES["articles/Lens.md"], "the older text")
        assert "changed on disk" not in notices(here.pilot)
        here.page("articles/Lens.md").write_text("# Lens\n\nFrom elsewhere.\n")
        await here.hear("changed on disk")


@hardened
async def test_an_unsaved_page_is_not_renamed(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await here.edit("articles/Lens.md")
        await here.press("x")
        await here.run("rename_article('Glass')")
        await here.hear("Save the text in the editor first")
        assert here.page("articles/Lens.md").exists()


@hardened
async def test_a_page_moves_into_a_folder(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await here.open("articles/Lens.md")
        await here.run("move_article('articles/Photo')")
        await here.see("Move “Lens” to articles/Photo?")
        await here.press("enter")
        await here.hear("Moved.")
        assert here.page("articles/Photo/Lens.md").exists()
        await here.see("articles/Photo/Lens.md")


@hardened
async def test_a_deleted_page_can_be_had_back(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await here.open("articles/Lens.md")
        await here.run("delete_article")
        await here.see("Delete “Lens”?")
        await here.press("enter")
        await here.hear("Deleted. Undo: /undo-wiki.")
        assert not here.page("articles/Lens.md").exists()
        await here.see("articles/Welcome.md")
        await here.run("undo_in_wiki")
        await here.see("Take back “Delete Lens”?")
        await here.press("enter")
        await here.hear("Taken back.")
        assert here.page("articles/Lens.md").read_text() == PAGES["articles/Lens.md"]


@hardened
async def test_a_talk_page_is_made_beside_its_article_and_takes_no_links(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await here.open("articles/Lens.md")
        await here.run("talk_page")
        await here.see("There is no talk page of “Lens” yet.")
        await here.press("enter")
        await here.see("Talk/Lens.md ✎")
        assert here.page("Talk/Lens.md").read_text().startswith("# Talk: Lens\n\nAbout [[articles/")
        assert here.page("articles/Bag.md").read_text() == PAGES["articles/Bag.md"]
        await here.press("escape")
        await here.run("talk_page")
        await here.see("articles/Lens.md")
        await here.run("talk_page")
        await here.see("Talk/Lens.md")
        assert here.pane.session.knows("Lens", "articles/Bag.md")
        await here.open("articles/Bag.md")
        await here.pane.links.follow("Lens", "articles/Bag.md", is_wikilink=True)
        await here.see("articles › Lens")


@hardened
async def test_a_new_page_begins_with_a_template(tmp_path: Path) -> None:
    pages = {"Meta/Templates/Trip.md": "Where: {{title}}\n"}
    async with window(tmp_path, pages) as here:
        await here.run("create_article('Rome')")
        await here.see("What does “Rome” begin with?")
        await here.press("down", "enter")
        await here.see("articles/Rome.md ✎")
        assert here.page("articles/Rome.md").read_text() == "# Rome\n\nWhere: Rome\n"


async def test_a_selection_becomes_a_page_and_a_link(tmp_path: Path) -> None:
    text = "# Bag\n\n## Lens cap\n\nIt is black.\n\nEnd.\n"
    async with window(tmp_path, {"articles/Bag.md": text}) as here:
        await here.edit("articles/Bag.md")
        here.editor.move_cursor((2, 0))
        here.editor.move_cursor((5, 0), select=True)
        await here.press("alt+x")
        await here.see("What is the new article called?")
        await here.press("enter")
        await here.until(lambda: "[[Lens cap]]" in here.editor.text, "the link")
        assert here.editor.text == "# Bag\n\n[[Lens cap]]\n\nEnd.\n"
        assert here.page("articles/Lens_cap.md").read_text() == "# Lens cap\n\nIt is black.\n"
        assert here.page("articles/Bag.md").read_text() == text
        await here.press("ctrl+z")
        assert here.editor.text == text


async def test_properties_are_changed_line_by_line(tmp_path: Path) -> None:
    front = "---\ntitle: 'One'  # mine\nodd:   [a,  b]\n---\n"
    text = f"{front}# P\n\n```info\nkind: thing\n```\n\nText.\n"
    async with window(tmp_path, {"articles/P.md": text}) as here:
        await here.open("articles/P.md")
        await here.run("edit_properties")
        await here.see("Properties of P")
        await here.press("enter")
        await here.see("title:")
        await here.press("ctrl+u", *"Two", "enter")
        await here.see("Two")
        await here.press("end", "enter")
        await here.see("kind:")
        await here.press("ctrl+u", *"person", "enter")
        await here.see("person")
        await here.press("a", *"tags: x, y", "enter")
        await here.see("x, y")
        await here.press("ctrl+s")
        await here.hear("Saved.")
        assert here.page("articles/P.md").read_text() == (
            "---\ntitle: 'Two'  # mine\nodd:   [a,  b]\ntags:\n  - x\n  - y\n---\n# P\n\n"
            "```info\nkind: person\n```\n\nText.\n"
        )
        subject = git(here.wiki, "log", "-1", "--format=%s").strip()
        assert subject == "Edit the properties of P"


@hardened
async def test_malformed_properties_are_left_alone(tmp_path: Path) -> None:
    text = "---\ntitle: [one\n---\n# P\n"
    async with window(tmp_path, {"articles/P.md": text}) as here:
        await here.open("articles/P.md")
        await here.run("edit_properties")
        await here.see("can only be edited as text")
        await here.press("a", *"x: y", "enter")
        await here.see("left alone")
        await here.press("escape")
        assert here.page("articles/P.md").read_text() == text


@hardened
async def test_a_save_can_have_a_message(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await here.edit("articles/Lens.md")
        await here.press("x")
        await here.run("save_with_message('Say x')")
        await here.hear("Saved.")
        assert git(here.wiki, "log", "-1", "--format=%s").strip() == "Say x"


COPY = "articles/Lens (conflict 2026-01-01T101010 here).md"


@pytest.mark.parametrize(
    ("way", "page", "is_left"),
    [
        pytest.param("Take the copy", "# Lens\n\nTheirs.\n", False, marks=hardened),
        pytest.param("Keep the page", "# Lens\n\nText.\n", False, marks=hardened),
        pytest.param("Open the copy", "# Lens\n\nText.\n", True, marks=hardened),
    ],
)
async def test_a_conflict_copy_is_settled(
    tmp_path: Path, way: str, page: str, is_left: bool
) -> None:
    async with window(tmp_path, {**PAGES, COPY: "# Lens\n\nTheirs.\n"}) as here:
        await here.run("conflicts")
        await here.see("Conflict copies")
        await here.press("enter")
        await choose(here, "Difference")
        await here.see("The page (-) and the copy (+)")
        await here.press("escape")
        await choose(here, way)
        await here.until(lambda: here.page(COPY).exists() == is_left, "the copy")
        assert here.page("articles/Lens.md").read_text() == page


@hardened
@pytest.mark.parametrize(
    ("copy", "page"),
    [("# Lens\n\nText.\n\nMore.\n", "# Lens\n\nText.\n\nMore.\n"), ("# Lens\n\nTheirs.\n", "")],
)
async def test_a_conflict_copy_is_merged(tmp_path: Path, copy: str, page: str) -> None:
    async with window(tmp_path, {**PAGES, COPY: copy}) as here:
        await here.run("conflicts")
        await here.press("enter")
        await choose(here, "Merge both")
        if page:
            await here.hear("the copy is gone")
            assert here.page("articles/Lens.md").read_text() == page
        else:
            await here.until(lambda: "<<<<<<<" in here.editor.text, "the marks")
            assert "Theirs." in here.editor.text
            assert "Text." in here.editor.text
            assert here.page(COPY).exists()


def test_copies_of_the_usual_programs_are_known() -> None:
    names = [
        "Lens (conflict 2026-01-01T101010 here 2).md",
        "Lens (Conflicted copy HOST 202601011200).md",
        "Lens (Jane's conflicted copy 2026-01-01).md",
        "Lens.sync-conflict-20260101-120000-ABCDEFG.md",
    ]
    paths = [
        "Lens.md",
        *names,
        "A conflict (of interest).md",
        "Conflict.md",
        "x/Lens (conflict a).md",
    ]
    assert find_conflict_copies(paths) == (
        *(ConflictCopy(name, "Lens.md") for name in names),
        ConflictCopy("x/Lens (conflict a).md", ""),
    )


def test_the_command_of_an_editor() -> None:
    assert editor_command({"EDITOR": "vi"}) == ("vi",)
    assert editor_command({"VISUAL": "'my ed' -w", "EDITOR": "vi"}) == ("my ed", "-w")
    for environment in ({}, {"EDITOR": "  "}, {"VISUAL": "'open"}):
        with pytest.raises(NoEditor):
            editor_command(environment)


@hardened
async def test_without_an_editor_it_is_said_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    assert "EDITOR" not in os.environ
    async with window(tmp_path) as here:
        await here.press("ctrl+g")
        await here.hear("put its command into VISUAL or EDITOR")
