"""The tree by keys and mouse, in an app of its own; in the window it follows the open article."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.content import Content

from tests.tui.conftest import MakeApp, screen_text, wait_until
from tests.wiki_window.browse_wikis import FORBIDDEN, HOSTILE, Host, listing, note, session
from tui.widgets.wiki.outline_list import OutlineList
from tui.widgets.wiki.tree import WikiTree

SIZE = (40, 16)
NOTES = (
    note("articles/Photo/Camera_bag.md", modified_ns=2),
    note("articles/Photo/Lens.md", modified_ns=3),
    note("articles/Zettel.md", modified_ns=1),
    note("Talk/Lens.md", modified_ns=4),
)


def lines(host: Host) -> list[str]:
    """What the list shows, without ages and counts."""
    tree = host.query_one("#tree-list")
    strips = host.screen._compositor.render_strips()
    region = tree.region
    shown = [strip.text[region.x : region.right - 14].rstrip() for strip in strips]
    return [line for line in shown[region.y : region.bottom] if line]


async def test_the_keys_fold_and_open(tmp_path: Path) -> None:
    tree = WikiTree(session(tmp_path), id="tree")
    host = Host(tree)
    async with host.run_test(size=SIZE) as pilot:
        tree.show_listing(listing(NOTES))
        tree.focus()
        await pilot.pause()
        assert lines(host) == ["▸ Talk", "▾ articles", "  ▸ Photo", "    Zettel"]
        await pilot.press("end", "up", "right")
        assert tree.cursor_path == "articles/Photo/"
        await pilot.press("right")
        assert tree.cursor_path == "articles/Photo/Camera_bag.md"
        await pilot.press("left", "left", "space", "enter", "home")
        assert tree.cursor_path == "Talk/"
        await pilot.press("enter", "down")
        assert tree.cursor_path == "Talk/Lens.md"
        assert lines(host)[:2] == ["▾ Talk", "    Lens"]


async def test_a_click_opens_a_page_and_folds_a_folder(tmp_path: Path) -> None:
    chosen: list[str] = []

    class Listening(Host):
        def on_wiki_tree_note_chosen(self, event: WikiTree.NoteChosen) -> None:
            chosen.append(event.path)

    tree = WikiTree(session(tmp_path), id="tree")
    host = Listening(tree)
    async with host.run_test(size=SIZE) as pilot:
        tree.show_listing(listing(NOTES))
        await pilot.pause()
        await pilot.click("#tree-list", offset=(3, 2))
        await pilot.pause()
        assert "      Lens" in lines(host)
        await pilot.click("#tree-list", offset=(8, 4))
        await pilot.pause()
        assert chosen == ["articles/Photo/Lens.md"]
        await pilot.click("#tree-tabs", offset=(27, 0))
        await pilot.pause()
        assert tree.view == "pinned"


async def test_it_is_narrowed_while_somebody_types(tmp_path: Path) -> None:
    tree = WikiTree(session(tmp_path), id="tree")
    host = Host(tree)
    async with host.run_test(size=SIZE) as pilot:
        tree.show_listing(listing(NOTES))
        tree.focus()
        await pilot.press("slash", *"lens")
        await pilot.pause()
        assert lines(host) == ["▾ Talk", "    Lens", "▾ articles", "  ▾ Photo", "      Lens"]
        assert tree.cursor_path == "Talk/Lens.md"
        await pilot.press("end", "down", "down", "down")
        assert tree.cursor_path == "articles/Photo/Lens.md"
        await pilot.press(*" nowhere")
        await pilot.pause()
        assert lines(host) == ["No page is called that."[:25]]
        await pilot.press("escape")
        await pilot.pause()
        assert lines(host) == ["▸ Talk", "▾ articles", "  ▸ Photo", "    Zettel"]
        assert host.focused is host.query_one(OutlineList)


async def test_pages_are_pinned_and_seen_by_last_change(tmp_path: Path) -> None:
    tree = WikiTree(session(tmp_path), id="tree")
    host = Host(tree)
    async with host.run_test(size=SIZE) as pilot:
        tree.show_listing(listing(NOTES))
        tree.focus()
        await pilot.press("5")
        assert lines(host) == ["Nothing pinned. p pins a"[:25]]
        await pilot.press("4")
        assert lines(host) == ["Lens", "Lens", "Camera bag", "Zettel"]
        await pilot.press("end", "p", "5")
        await wait_until(pilot, lambda: lines(host) == ["Zettel"], "the pin")
        await pilot.press("p")
        await wait_until(pilot, lambda: "Nothing pinned" in screen_text(pilot), "no pin")
        await pilot.press("1")
        assert tree.cursor_path.startswith(("articles/", "Talk/"))


async def test_cursor_and_open_folders_stay_when_pages_come_and_go(tmp_path: Path) -> None:
    tree = WikiTree(session(tmp_path), id="tree")
    host = Host(tree)
    async with host.run_test(size=SIZE) as pilot:
        tree.show_listing(listing(NOTES))
        tree.focus()
        tree.reveal("articles/Photo/Lens.md")
        await pilot.pause()
        assert tree.cursor_path == "articles/Photo/Lens.md"
        more = [note(f"Talk/More_{n}.md") for n in range(30)]
        tree.show_listing(listing((*more, note("AAA/First.md"), *NOTES)))
        await pilot.pause()
        assert tree.cursor_path == "articles/Photo/Lens.md"
        assert "      Lens" in lines(host)
        tree.show_listing(listing(NOTES[:1]))
        await pilot.pause()
        assert tree.cursor_path == "articles/Photo/Camera_bag.md"


async def test_only_what_is_seen_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = 0
    draw = OutlineList.draw_row

    def counting(self: OutlineList, row: int, width: int, is_lit: bool) -> Sequence[Content]:
        nonlocal drawn
        drawn += 1
        return draw(self, row, width, is_lit)

    monkeypatch.setattr(OutlineList, "draw_row", counting)
    notes = [note(f"articles/N{n:05}.md", modified_ns=n) for n in range(20_000)]
    tree = WikiTree(session(tmp_path), id="tree")
    host = Host(tree)
    async with host.run_test(size=SIZE) as pilot:
        tree.show_listing(listing(notes))
        tree.focus()
        await pilot.press("end")
        assert tree.cursor_path == "articles/N19999.md"
        tree.show_listing(listing((*notes, note("articles/New.md"))))
        await pilot.press("up", "pageup", "home", "slash", *"n1999")
        await pilot.pause()
        assert drawn < 20 * SIZE[1]


async def test_no_name_breaks_out_of_the_tree(tmp_path: Path) -> None:
    tree = WikiTree(session(tmp_path), id="tree")
    host = Host(tree)
    async with host.run_test(size=(40, 30)) as pilot:
        notes = [note(f"articles/{name}.md", name) for name in HOSTILE]
        tree.show_listing(listing((*notes, *(note(f"{name}/x.md") for name in HOSTILE))))
        tree.focus()
        await pilot.press("end", "p", "4", "5", "1", "slash", *"[red")
        await pilot.pause()
        await asyncio.sleep(0)
        text = screen_text(pilot)
        assert "[red]markup[/]" in text
        assert not any(sign in text for sign in FORBIDDEN if sign != "\n")


async def test_tags_and_categories_come_from_the_index(make_app: MakeApp, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "One.md").write_text("---\ntags: [photo/lens]\n---\n# One\n")
    (folder / "sub" / "Two.md").write_text("---\ncategories: [Tools]\n---\n# Two\n#photo\n")
    app = make_app(wiki=folder)
    async with app.run_test(size=(130, 40)) as pilot:
        await wait_until(pilot, lambda: "▸ sub" in screen_text(pilot), "the tree")
        tree = app.screen.query_one(WikiTree)
        tree.focus()
        await pilot.press("3")
        await wait_until(pilot, lambda: "▸ photo" in screen_text(pilot), "the tags")
        await pilot.press("enter", "down", "enter")
        await wait_until(pilot, lambda: "▾ lens" in screen_text(pilot), "the tag below")
        await pilot.press("2")
        await wait_until(pilot, lambda: "▸ Tools" in screen_text(pilot), "the categories")
        await pilot.press("enter", "down", "enter")
        await wait_until(pilot, lambda: "sub/Two.md" in screen_text(pilot), "the page")
        # The folders follow the open article.
        tree.focus()
        await pilot.press("1")
        await wait_until(pilot, lambda: "▾ sub" in screen_text(pilot), "the folder")
        assert tree.cursor_path == "sub/Two.md"
