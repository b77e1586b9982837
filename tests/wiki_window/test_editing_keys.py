"""What the keys of the editor do, in the window: writing, completing, finding, previewing."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets.text_area import Selection

from tests.tui.conftest import MakeApp, screen_text, wait_until
from tests.wiki_window.editing_window import Window, hardened, window
from tui.widgets.wiki.editing.editor import ArticleEditor
from tui.widgets.wiki.editing.popup import CompletionPopup
from tui.widgets.wiki.editing.preview import Preview

PAGE = "articles/Page.md"
PAGES = {
    PAGE: "# Page\n\n",
    "articles/Lens_test.md": "---\naliases: [Glass trial]\n---\n# Lens test\n\nText.\n",
    "articles/Photo/Camera.md": "# Camera\n\n## Body and strap\n\nOne fact ^fact-1\n\n## Lenses\n",
    "articles/Film/Camera.md": "# Camera\n\n#film/black-white\n",
}


async def open_page(here: Window, text: str = "# Page\n\n") -> None:
    """The editor with the cursor at the end of a text."""
    await here.edit(PAGE)
    here.editor.load_text(text)
    here.editor.move_cursor(here.editor.document.end)
    await here.pilot.pause()


async def complete(here: Window, typed: str, *keys: str) -> str:
    """Type, wait for the list, press keys; the last line then."""
    await here.press(*typed)
    await here.until(lambda: here.editor.is_choosing, f"a list for {typed}")
    await here.press(*keys)
    await here.until(lambda: not here.editor.is_choosing, "the list put away")
    return here.editor.document.lines[-1]


async def test_links_and_tags_are_completed(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await open_page(here)
        await here.until(lambda: here.editing.suggester._tags, "the index")
        assert await complete(here, "[[lenst", "enter") == "[[Lens test]]"
        assert here.editor.cursor_location[1] == len("[[Lens test]]")
        await here.press("enter")
        assert await complete(here, "[[glass", "tab") == "[[Lens test|Glass trial]]"
        await here.press("enter")
        line = await complete(here, "[[camera", "down", "enter")
        assert line in {"[[Photo/Camera]]", "[[Film/Camera]]"}
        await here.press("enter")
        assert await complete(here, "[[Photo/Camera#stra", "enter") == (
            "[[Photo/Camera#Body and strap]]"
        )
        await here.press("enter")
        assert await complete(here, "[[Photo/Camera#^", "enter") == "[[Photo/Camera#^fact-1]]"
        await here.press("enter")
        assert await complete(here, "[x](Photo/Camera.md#len", "enter") == (
            "[x](Photo/Camera.md#lenses"
        )
        await here.press(")", "enter")
        assert await complete(here, "#fi", "enter") == "#film/black-white"


@hardened
async def test_a_completion_is_chosen_by_mouse_and_refused_by_escape(tmp_path: Path) -> None:
    async with window(tmp_path, PAGES) as here:
        await open_page(here)
        await here.press(*"[[lens")
        await here.until(lambda: here.editor.is_choosing, "the list")
        await here.press("escape")
        assert here.editing.is_open
        await here.press("t")
        await here.pilot.pause()
        assert not here.editor.is_choosing
        await here.press("backspace", *["backspace"] * 6, *"[[lens")
        await here.until(lambda: here.editor.is_choosing, "the list again")
        await here.pilot.click(CompletionPopup, offset=(3, 0))
        await here.until(lambda: "[[Lens test]]" in here.editor.text, "the link")
        assert here.editor.has_focus


@hardened
@pytest.mark.parametrize("text", ["```\n", "`", "---\ntags: x\n", "    \\"])
async def test_nothing_is_completed_where_it_is_no_link(tmp_path: Path, text: str) -> None:
    async with window(tmp_path, {PAGE: "# Page\n"}) as here:
        closing = "`" if text == "`" else "\n---\n" if text.startswith("---") else ""
        await open_page(here, text + closing)
        row = text.count("\n")
        here.editor.move_cursor((row, len(text.rpartition("\n")[2])))
        await here.press(*"[[wel")
        await here.pilot.pause(0.2)
        assert not here.editor.is_choosing


WRITING = [
    (("enter",), "- one", "- one\n- "),
    (("enter", "enter"), "- one", "- one\n"),
    (("enter",), "9. [x] nine", "9. [x] nine\n10. [ ] "),
    (("enter",), "> - a", "> - a\n> - "),
    (("enter",), "> quote", "> quote\n> "),
    (("enter",), "```\n- one", "```\n- one\n"),
    (("tab",), "- a\n- b", "- a\n  - b"),
    (("tab", "shift+tab"), "1. a", "1. a"),
    (("alt+t",), "buy", "- [ ] buy"),
    (("alt+t", "alt+t"), "- buy", "- [x] buy"),
    (("alt+t", "alt+t", "alt+t"), "* buy", "* [ ] buy"),
    (("alt+b",), "a word", "a **word**"),
    (("alt+b", "alt+b"), "a word", "a word"),
    (("alt+i", "alt+b"), "漢字", "***漢字***"),
    (("alt+c",), "run", "`run`"),
    (("alt+k",), "Lens", "[[Lens]]"),
    (("alt+k", "alt+k"), "Lens", "Lens"),
]


async def test_keys_of_writing(tmp_path: Path) -> None:
    async with window(tmp_path) as here:
        await here.edit("articles/Welcome.md")
        for keys, before, after in WRITING:
            here.editor.load_text(before)
            here.editor.move_cursor(here.editor.document.end)
            await here.press(*keys)
            assert here.editor.text == after, (keys, before)
            await here.press(*["ctrl+z"] * (len(keys) + 1))
            assert here.editor.text == before, (keys, before)


@hardened
async def test_an_address_pasted_over_words_links_them(tmp_path: Path) -> None:
    async with window(tmp_path) as here:
        await here.edit("articles/Welcome.md")
        here.editor.load_text("see the docs\n```\ncode\n")
        here.editor.selection = Selection((0, 4), (0, 12))
        here.pilot.app.post_message(Paste("https://a.example/x_(y)"))
        await here.until(lambda: "](" in here.editor.text, "the link")
        assert here.editor.text.startswith("see [the docs](https://a.example/x_%28y%29)\n")
        here.editor.selection = Selection((2, 0), (2, 4))
        here.pilot.app.post_message(Paste("https://a.example"))
        await here.until(lambda: "https://a.example\n" in here.editor.text, "the address alone")


async def test_find_and_replace(tmp_path: Path) -> None:
    async with window(tmp_path) as here:
        await here.edit("articles/Welcome.md")
        here.editor.load_text("cat Cat cat\r\nconcat\r\n")
        await here.press("ctrl+f", *"cat")
        await here.see("1 of 4")
        await here.press("enter", "enter")
        assert here.editor.selection == Selection((0, 8), (0, 11))
        await here.see("3 of 4")
        await here.press("tab", *"dog", "enter")
        assert here.editor.text == "cat Cat dog\r\nconcat\r\n"
        await here.press("alt+a")
        await here.see("3 replaced")
        assert here.editor.text == "dog dog dog\r\ncondog\r\n"
        await here.press("escape", "ctrl+z")
        assert here.editor.text == "cat Cat dog\r\nconcat\r\n"
        await here.press("ctrl+f", "ctrl+u", *"Ca(.)", "alt+r")
        await here.see("1 of 1 · regex")
        await here.press("tab", "ctrl+u", *r"[\1]", "alt+a")
        assert here.editor.text == "cat [t] dog\r\nconcat\r\n"
        await here.press("tab", "ctrl+u", *"(")
        await here.see("not a pattern")
        await here.press("escape")
        assert here.editor.has_focus
        await here.press("alt+g", "2", "enter")
        assert here.editor.cursor_location == (1, 0)


@hardened
async def test_the_page_is_shown_beside_its_text(tmp_path: Path) -> None:
    async with window(tmp_path, size=(150, 40)) as here:
        await here.edit("articles/Welcome.md")
        await here.press("alt+p")
        await here.until(lambda: here.editing.query(Preview), "the preview")
        here.editor.load_text("# Fresh heading\n\n" + "para\n\n" * 100 + "## Last *words*\n")
        await here.until(lambda: here.text.count("Fresh heading") >= 2, "it in the preview")
        await here.press("ctrl+end")
        await here.until(lambda: "Last words" in here.text, "the end of it")
        await here.press("alt+p")
        await here.until(lambda: "Last words" not in here.text, "no preview")


@hardened
async def test_place_and_words_are_told(tmp_path: Path) -> None:
    async with window(tmp_path) as here:
        await here.edit("articles/Welcome.md")
        here.editor.load_text("one two\nthree")
        here.editor.move_cursor((1, 3))
        await here.see("line 2, column 4 · 3 words")
        await here.press("shift+left")
        await here.see("1 selected")


@hardened
async def test_the_palette_has_the_editors_commands_while_it_is_open(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(130, 40)) as pilot:
        await wait_until(pilot, lambda: "articles/Welcome.md" in screen_text(pilot), "the page")
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert "Bold" not in titles
        assert {"Rename", "Preview", "Conflicts"} <= titles
        await pilot.press("f4")
        await pilot.pause()
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        editor = app.screen.query_one(ArticleEditor)
        editor.load_text("word")
        await commands["Bold"].callback()
        assert editor.text == "**word**"
