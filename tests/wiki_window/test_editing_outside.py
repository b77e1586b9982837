"""Changes made elsewhere while an article is edited: nothing that was typed is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.widgets import OptionList

from tests.wiki_window.editing_window import Window, git, hardened, window

PAGE = "articles/Lens.md"
TEXT = "# Lens\n\none\n\ntwo\n\nthree\n"


async def begin(here: Window, typed: str = "mine ") -> None:
    """Type something at the end of the third line."""
    await here.edit(PAGE)
    here.editor.move_cursor((2, 3))
    await here.press(*typed)


async def write_outside(here: Window, text: str) -> None:
    """Another program changes the page, and the window hears of it."""
    here.page(PAGE).write_text(text)
    await here.pane.session.ask(lambda vault: vault.note_changes({PAGE}))
    await here.pane._page.take_outside_change()


async def choose(here: Window, words: str) -> None:
    """Choose a way of the dialog by the keys."""
    await here.see(words)
    lines = here.pilot.app.screen.query_one("#ways-list", OptionList)
    await here.until(lambda: lines.has_focus, "the keys in the list")
    options = [lines.get_option_at_index(at).prompt for at in range(lines.option_count)]
    at = next(n for n, each in enumerate(options) if words in str(each))
    await here.press("home", *["down"] * at, "enter")


@hardened
async def test_a_change_while_clean_is_shown(tmp_path: Path) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        await here.edit(PAGE)
        await write_outside(here, TEXT.replace("two", "TWO"))
        assert here.editor.text == TEXT.replace("two", "TWO")
        assert not here.editing.is_dirty


async def test_a_change_elsewhere_on_the_page_is_merged_silently(tmp_path: Path) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        await begin(here)
        await write_outside(here, TEXT.replace("three", "THREE"))
        await here.hear("Saving will merge")
        await here.press("ctrl+s")
        await here.hear("merged with a change made elsewhere")
        wanted = "# Lens\n\nonemine \n\ntwo\n\nTHREE\n"
        assert here.page(PAGE).read_text() == wanted
        assert here.editor.text == wanted
        assert not here.editing.is_dirty


THEIRS = TEXT.replace("one", "theirs")


@pytest.mark.parametrize(
    "way",
    [
        "Keep mine",
        "Merge",
        pytest.param("Take theirs", marks=hardened),
        pytest.param("Go on editing", marks=hardened),
    ],
)
async def test_a_clash_is_settled_as_the_way_says(tmp_path: Path, way: str) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        await begin(here)
        await write_outside(here, THEIRS)
        await here.press("ctrl+s")
        await choose(here, way)
        mine = TEXT.replace("one", "onemine ")
        if way == "Keep mine":
            await here.hear("Saved.")
            assert here.page(PAGE).read_text() == mine
            assert git(here.wiki, "show", f"HEAD~1:{PAGE}") == THEIRS
        elif way == "Take theirs":
            await here.hear("/conflicts")
            assert here.page(PAGE).read_text() == THEIRS == here.editor.text
            (copy,) = here.page("articles").glob("Lens (conflict *).md")
            assert copy.read_text() == mine
        elif way == "Merge":
            await here.until(lambda: "<<<<<<< mine" in here.editor.text, "the marks")
            assert here.page(PAGE).read_text() == THEIRS
            assert "onemine \n" in here.editor.text
            assert "theirs\n" in here.editor.text
            assert here.editing.is_dirty
            await here.press("ctrl+s")
            await here.see("marks of a merge")
            await here.press("escape")
            here.editor.swap_text(mine.replace("two", "both"))
            await here.press("ctrl+s")
            await here.hear("Saved.")
            assert here.page(PAGE).read_text() == mine.replace("two", "both")
        else:
            assert here.page(PAGE).read_text() == THEIRS
            assert here.editor.text == mine
            assert here.editing.is_dirty


@hardened
async def test_the_difference_is_shown_before_a_way_is_chosen(tmp_path: Path) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        await begin(here)
        await write_outside(here, THEIRS)
        await here.press("ctrl+s")
        await choose(here, "Difference")
        await here.see("Theirs (-) and yours (+)")
        await here.press("escape")
        await here.see("Keep mine")
        await here.press("escape")
        assert here.editing.is_dirty


@pytest.mark.parametrize("is_dirty", [True, pytest.param(False, marks=hardened)])
async def test_a_page_deleted_elsewhere_can_be_saved_again(tmp_path: Path, is_dirty: bool) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        await begin(here, "mine " if is_dirty else "")
        here.page(PAGE).unlink()
        await here.pane._page.take_outside_change()
        text = here.editor.text
        assert text.startswith("# Lens")
        if not is_dirty:
            await here.press("x")
            text = here.editor.text
        await here.press("ctrl+s")
        await choose(here, "Save it again")
        await here.hear("Saved")
        assert here.page(PAGE).read_text() == text


@hardened
@pytest.mark.parametrize("more", ["", "\nadded there\n"])
async def test_a_page_renamed_elsewhere_is_saved_at_its_new_place(
    tmp_path: Path, more: str
) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        await begin(here)
        git(here.wiki, "mv", PAGE, "articles/Glass.md")
        with here.page("articles/Glass.md").open("a") as file:
            file.write(more)
        await here.press("ctrl+s")
        await choose(here, "Save it at articles/Glass.md")
        await here.hear("Saved")
        assert here.page("articles/Glass.md").read_text() == (
            TEXT.replace("one", "onemine ") + more
        )
        assert not here.page(PAGE).exists()
        await here.see("articles/Glass.md ✎")


@hardened
async def test_in_the_middle_of_a_git_merge_nothing_is_lost(tmp_path: Path) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        git(here.wiki, "config", "user.name", "t")
        git(here.wiki, "config", "user.email", "t@example.invalid")
        branch = git(here.wiki, "branch", "--show-current").strip()
        git(here.wiki, "checkout", "-q", "-b", "other")
        here.page(PAGE).write_text(TEXT.replace("three", "drei"))
        git(here.wiki, "commit", "-qam", "theirs")
        git(here.wiki, "checkout", "-q", branch)
        here.page(PAGE).write_text(TEXT.replace("three", "trois"))
        git(here.wiki, "commit", "-qam", "ours")
        await here.open(PAGE)
        await begin(here)
        with pytest.raises(Exception, match="merge"):
            git(here.wiki, "merge", "-q", "other")
        marked = here.page(PAGE).read_text()
        assert "<<<<<<<" in marked
        await here.press("ctrl+s")
        await choose(here, "Take theirs")
        await here.hear("/conflicts")
        assert here.page(PAGE).read_text() == marked == here.editor.text
        (copy,) = here.page("articles").glob("Lens (conflict *).md")
        assert copy.read_text() == TEXT.replace("three", "trois").replace("one", "onemine ")


@hardened
async def test_what_is_typed_while_a_save_runs_is_kept_and_merged_next(tmp_path: Path) -> None:
    async with window(tmp_path, {PAGE: TEXT}) as here:
        await begin(here)
        here.page(PAGE).write_text(TEXT.replace("three", "THREE"))
        saving = asyncio.ensure_future(here.editing.save())
        await asyncio.sleep(0)
        here.editor.insert("more ", (4, 3))
        assert await saving
        assert "more " in here.editor.text
        assert here.editing.is_dirty
        assert await here.editing.save()
        assert here.page(PAGE).read_text() == "# Lens\n\nonemine \n\ntwomore \n\nTHREE\n"
