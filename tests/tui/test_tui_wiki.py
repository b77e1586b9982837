"""The wiki pane, driven by keys, over a real vault with real git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.script import Reply
from tests.tui.conftest import MakeApp, screen_text, wait_until
from tui.widgets.chat.pane import ChatPane
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.pane import WikiPane
from tui.widgets.wiki.tree import WikiTree

SIZE = (130, 40)
WELCOME = "articles/Welcome.md"


def git(wiki: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(wiki), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


async def test_the_first_start_makes_a_wiki_and_shows_its_first_page(
    make_app: MakeApp, tmp_path: Path
) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await wait_until(pilot, lambda: "notes ·" in screen_text(pilot), "the count of notes")
    assert git(tmp_path / "wiki", "status", "--porcelain") == ""


async def test_an_edit_is_saved_and_committed(make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app()
    wiki = tmp_path / "wiki"
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        before = (wiki / WELCOME).read_bytes()
        await pilot.press("f4")
        await pilot.press("ctrl+end", "enter", *"Added line.")
        await wait_until(pilot, lambda: "✎ ●" in screen_text(pilot), "the mark of unsaved text")
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: "Saved. Commit" in screen_text(pilot), "the commit")
        assert (wiki / WELCOME).read_bytes() == before + b"\nAdded line."
        await pilot.press("escape")
        await wait_until(pilot, lambda: "✎" not in screen_text(pilot), "reading again")
    subject, actor = git(wiki, "log", "-1", "--format=%s%n%(trailers:key=Actor)").splitlines()[:2]
    assert subject == "Edit Welcome"
    assert actor == "Actor: you"
    assert git(wiki, "show", "--format=", "--name-only", "HEAD").split() == [WELCOME]


async def test_keys_pressed_before_the_first_frame_wait_for_the_wiki(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        app.simulate_key("f4")
        await wait_until(
            pilot, lambda: "Open an article first." in screen_text(pilot), "the answer"
        )
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")


async def test_leaving_unsaved_text_asks(make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        before = (tmp_path / "wiki" / WELCOME).read_bytes()
        await pilot.press("f4", *"draft ", "escape")
        await wait_until(
            pilot, lambda: "The text is not saved." in screen_text(pilot), "the question"
        )
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen.query_one(ArticleEditor).text.startswith("draft ")
        await pilot.press("escape")
        await wait_until(pilot, lambda: "Discard" in screen_text(pilot), "the question again")
        await pilot.click("#discard")
        await wait_until(pilot, lambda: "✎" not in screen_text(pilot), "reading again")
        assert (tmp_path / "wiki" / WELCOME).read_bytes() == before


async def test_quitting_with_unsaved_text_asks(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press("f4", *"draft ", "ctrl+q")
        await wait_until(
            pilot, lambda: "An article is not saved." in screen_text(pilot), "the question"
        )
        assert app.is_running


async def test_quitting_can_save_first(make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press("f4", *"kept ", "ctrl+q", "ctrl+q")
        await wait_until(pilot, lambda: "Save and quit" in screen_text(pilot), "the question")
        assert len(app.screen_stack) == 2
        await pilot.press("enter")
        await wait_until(pilot, lambda: app._exit, "the end")
    assert (tmp_path / "wiki" / WELCOME).read_text().startswith("kept # Welcome")


async def test_ctrl_d_asks_about_unsaved_text_too(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press("f4", *"draft ")
        app.screen.query_one(ChatPane).prompt.focus()
        await pilot.press("ctrl+d")
        await wait_until(pilot, lambda: "is not saved" in screen_text(pilot), "the question")
        assert app.is_running


async def test_ctrl_c_in_the_editor_leaves_the_draft_of_a_prompt(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press(*"a draft", "f4", "ctrl+c")
        assert app.screen.query_one(ChatPane).prompt.text == "a draft"


async def test_typing_goes_to_the_prompt_when_the_wiki_is_put_away(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press("f3", "f3")
        await pilot.pause()
        await pilot.press(*"seen")
        assert app.screen.query_one(ChatPane).prompt.text == "seen"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("- item\n" * 3000, "• item"),
        ("# head\n\n" * 1000, "head"),
        ("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 500, "a │ b"),
    ],
    ids=["items", "headings", "rows"],
)
async def test_a_page_of_very_many_blocks_is_drawn(
    make_app: MakeApp, tmp_path: Path, text: str, first: str
) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        (tmp_path / "wiki" / "articles" / "Many.md").write_text(text)
        await wait_until(pilot, lambda: "Many" in screen_text(pilot), "the note in the tree")
        await pilot.press(*"/open Many", "enter")
        await wait_until(pilot, lambda: "articles/Many.md" in screen_text(pilot), "the page", 5)
        await wait_until(pilot, lambda: first in screen_text(pilot), "its blocks", 5)


async def test_links_are_followed_by_key_and_back_again(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press("alt+l")
        await wait_until(pilot, lambda: "Links on this page" in screen_text(pilot), "the links")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "articles/Zibaldone.md" in screen_text(pilot), "the page")
        await pilot.press("alt+left")
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the page before")
        await pilot.press("alt+right")
        await wait_until(
            pilot, lambda: "articles/Zibaldone.md" in screen_text(pilot), "the page after"
        )


async def test_links_are_followed_by_mouse(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "hang together: Zibaldone" in screen_text(pilot), "a link")
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "hang together: Zibaldone" in line)
        await pilot.click(offset=(lines[row].index("together: Zibaldone") + 12, row))
        await wait_until(pilot, lambda: "articles/Zibaldone.md" in screen_text(pilot), "the page")


async def test_a_change_from_outside_is_seen(make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        (tmp_path / "wiki" / WELCOME).write_text("# Welcome\n\nFrom another program.\n")
        (tmp_path / "wiki" / "articles" / "Fresh_page.md").write_text("# Fresh page\n")
        await wait_until(pilot, lambda: "From another program." in screen_text(pilot), "the change")
        await wait_until(pilot, lambda: "Fresh page" in screen_text(pilot), "the new page")


async def test_a_change_from_outside_is_merged_with_unsaved_text(
    make_app: MakeApp, tmp_path: Path
) -> None:
    app = make_app()
    page = tmp_path / "wiki" / WELCOME
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press("f4", "ctrl+end", "enter", *"My line.")
        page.write_text(page.read_text().replace("# Welcome\n", "# Welcome\n\nTheir line.\n", 1))
        await wait_until(pilot, lambda: "changed on disk" in screen_text(pilot), "the warning")
        await pilot.press("ctrl+s")
        await wait_until(pilot, lambda: "merged" in screen_text(pilot), "the merge")
        assert "Their line." in app.screen.query_one(ArticleEditor).text
    saved = page.read_text()
    assert "Their line." in saved
    assert "My line." in saved


async def test_a_wanted_page_can_be_created(make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press(*"/open Lens tests", "enter")
        await wait_until(pilot, lambda: "no page “Lens tests”" in screen_text(pilot), "the offer")
        await pilot.click("#create")
        await wait_until(
            pilot, lambda: "articles/Lens_tests.md ✎" in screen_text(pilot), "the editor"
        )
    assert (
        (tmp_path / "wiki" / "articles" / "Lens_tests.md").read_text().startswith("# Lens tests\n")
    )


async def test_reference_pages_are_read_only(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        await pilot.press(*"/open Using_Zibaldone", "enter")
        await wait_until(
            pilot, lambda: "Reference/Using_Zibaldone.md" in screen_text(pilot), "the page"
        )
        await pilot.press("f4")
        await wait_until(pilot, lambda: "cannot be edited" in screen_text(pilot), "the refusal")


async def test_a_folder_of_someone_else_is_only_read(make_app: MakeApp, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "one [draft].md").write_text("# One\n\n[[two]]\n")
    (folder / "sub" / "two.md").write_text("# Two\n")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    app = make_app(wiki=folder)
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "not made here" in screen_text(pilot), "the note")
        assert "one [draft]" in screen_text(pilot)
        await pilot.press(*"/open two", "enter")
        await wait_until(pilot, lambda: "sub/two.md" in screen_text(pilot), "the page")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


async def test_a_folder_of_someone_else_is_changed_only_by_consent(
    make_app: MakeApp, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "One.md").write_text("# One\n")
    app = make_app(wiki=folder)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"/open One", "enter")
        await wait_until(pilot, lambda: "One.md · read-only" in screen_text(pilot), "the page")
        await pilot.press("f4")
        await wait_until(pilot, lambda: "May zib change" in screen_text(pilot), "the question")
        await pilot.press("escape", "f4")
        await wait_until(pilot, lambda: "May zib change" in screen_text(pilot), "it again")
        await pilot.press("ctrl+u", *"a/../b", "enter")
        await wait_until(pilot, lambda: "not a plain path" in screen_text(pilot), "the refusal")
        await pilot.press("ctrl+u", *"My pages", "enter")
        await wait_until(pilot, lambda: "One.md ✎" in screen_text(pilot), "the editor")
        await pilot.press(*"new ", "ctrl+s")
        await wait_until(
            pilot, lambda: (folder / "One.md").read_text() == "new # One\n", "the save"
        )
    assert [path.name for path in folder.iterdir()] == ["One.md"]


async def test_an_address_in_an_answer_asks_first(make_app: MakeApp) -> None:
    app = make_app(Reply("", "see https://example.invalid/secret now"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"go", "enter")
        await wait_until(pilot, lambda: "tok/s · first" in screen_text(pilot), "the answer")
        lines = screen_text(pilot).splitlines()
        row = next(n for n, line in enumerate(lines) if "see https" in line)
        await pilot.click(offset=(lines[row].index("https") + 3, row))
        await wait_until(pilot, lambda: "leads out of zib" in screen_text(pilot), "the question")
        assert "https://example.invalid/secret" in screen_text(pilot)


async def test_the_tree_keeps_its_cursor_when_notes_come_and_go(
    make_app: MakeApp, tmp_path: Path
) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: WELCOME in screen_text(pilot), "the first page")
        tree = app.screen.query_one(WikiTree)
        tree.focus()
        await pilot.press("down", "down", "down")
        path = tree.cursor_path
        assert path
        (tmp_path / "wiki" / "articles" / "AAA.md").write_text("# AAA\n")
        await wait_until(pilot, lambda: "AAA" in screen_text(pilot), "the new note")
        await pilot.pause()
        assert tree.cursor_path == path


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [(20, 5), (40, 10), (80, 24), (200, 60)])
async def test_every_size_is_usable(make_app: MakeApp, size: tuple[int, int]) -> None:
    app = make_app(Reply("", "said"))
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"hi", "enter")
        chat = app.screen.query_one(ChatPane)
        await wait_until(pilot, lambda: not chat.is_answering, "the answer")
        for key in ("f2", "f2", "f3", "f3", "f3"):
            await pilot.press(key)
        await pilot.resize_terminal(1, 1)
        await pilot.resize_terminal(*size)
        await wait_until(pilot, lambda: app.screen.query_one(WikiPane), "the panes")
        assert screen_text(pilot).strip()
