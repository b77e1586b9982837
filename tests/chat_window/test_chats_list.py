"""The list of chats, driven by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.chat_window.chats_kept import ChatsApp, chat, hardened, id_of, store_of
from tests.tui.conftest import notices, screen_text, wait_until
from tests.wiki_window.browse_wikis import FORBIDDEN, HOSTILE
from tui.screens.chats.chosen import NewChat, OpenChat
from vault.conversations.store import Conversations

SIZE = (100, 24)


@pytest.fixture
def store() -> Iterator[Conversations]:
    with store_of() as kept:
        yield kept


async def _listed(pilot: Pilot[None], count: str = "4 chats") -> str:
    await wait_until(pilot, lambda: count in screen_text(pilot), "the list")
    return screen_text(pilot)


async def test_pinned_chats_come_first_then_the_latest(store: Conversations) -> None:
    app = ChatsApp(store)
    async with app.run_test(size=SIZE) as pilot:
        shown = await _listed(pilot)
        names = ("★ Gardens", "How long does bread rise?", "Lens for the trip", "[/x] [red]title")
        places = [shown.index(name) for name in names]
        assert places == sorted(places)
        assert "#garden #home" in shown
        assert "2 messages" in shown
        await pilot.press("down", "enter")
        assert app.answers == [OpenChat(id_of("bread"))]


async def test_what_is_typed_is_found_in_every_chat(store: Conversations) -> None:
    app = ChatsApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"spri")
        await _listed(pilot, "1 chat")
        assert "answer: Gardens need a lens of water in spring" in screen_text(pilot)
        await pilot.press("enter")
        assert app.answers == [OpenChat(id_of("wiki"), id_of("wiki-1"))]


@hardened
async def test_enter_means_what_was_typed_before_it_was_found(store: Conversations) -> None:
    app = ChatsApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"two hours", "enter")
        await wait_until(pilot, lambda: app.answers, "an answer")
        assert app.answers == [OpenChat(id_of("bread"), id_of("bread-1"))]


@pytest.mark.parametrize("keys", [("f2",), pytest.param(("tab", "r"), marks=hardened)])
async def test_a_chat_is_renamed(store: Conversations, keys: tuple[str, ...]) -> None:
    app = ChatsApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await _listed(pilot)
        await pilot.press(*keys)
        await wait_until(pilot, lambda: "What is this chat called?" in screen_text(pilot), "it")
        await pilot.press("ctrl+u", *"[b]Beds", "enter")
        await wait_until(pilot, lambda: "[b]Beds" in screen_text(pilot), "the new title")
        renamed = store.chats.get(id_of("wiki"))
        assert (renamed.title, renamed.titled_by) == ("[b]Beds", "user")


async def test_a_chat_is_pinned_and_tagged(store: Conversations) -> None:
    app = ChatsApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await _listed(pilot)
        await pilot.press("f3")
        await wait_until(pilot, lambda: "★" not in screen_text(pilot), "no pin")
        assert not store.chats.get(id_of("wiki")).is_pinned
        await pilot.press("home", "f4")
        await wait_until(pilot, lambda: "Its tags" in screen_text(pilot), "the question")
        await pilot.press(*"oven, #dough", "enter")
        await wait_until(pilot, lambda: "#dough #oven" in screen_text(pilot), "the tags")
        assert store.chats.get(id_of("bread")).tags == ("dough", "oven")


async def test_a_deleted_chat_comes_back_by_undo(store: Conversations) -> None:
    app = ChatsApp(store)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await _listed(pilot)
        await pilot.press("f8")
        await wait_until(
            pilot, lambda: app.engine.forgotten == [id_of("wiki")], "the engine forgets"
        )
        await _listed(pilot, "3 chats")
        assert store.trash.owed() == ()
        await pilot.press("ctrl+z")
        await _listed(pilot)
        assert store.chats.get(id_of("wiki")).deleted is None


async def test_the_trash_gives_back_and_purges_after_a_question(store: Conversations) -> None:
    app = ChatsApp(store)
    store.trash.put([id_of("wiki"), id_of("lens"), id_of("bread")])
    async with app.run_test(size=SIZE) as pilot:
        await _listed(pilot, "1 chat")
        await pilot.press("f9")
        await _listed(pilot, "3 chats")
        await pilot.press("enter")
        await _listed(pilot, "2 chats")
        assert len(store.chats.listed()) == 2
        await pilot.press("f8")
        await wait_until(pilot, lambda: "for good?" in screen_text(pilot), "the question")
        await pilot.press("escape")
        assert len(store.trash.listed()) == 2
        await pilot.press("f8")
        await wait_until(pilot, lambda: "for good?" in screen_text(pilot), "the question again")
        await pilot.press("right", "enter")
        await wait_until(pilot, lambda: "The trash is empty." in screen_text(pilot), "emptiness")
        assert "2 chats are gone for good" in notices(pilot)
        await pilot.press("escape")
        await _listed(pilot, "2 chats")


@pytest.mark.parametrize(
    ("name", "start"),
    [("out.md", "# Gardens"), pytest.param("out.json", '{"format"', marks=hardened)],
)
async def test_an_export_never_replaces_a_file_silently(
    store: Conversations,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    start: str,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    app = ChatsApp(store)
    file = tmp_path / name
    file.write_text("mine")
    async with app.run_test(size=SIZE) as pilot:
        await _listed(pilot)
        await pilot.press("f6")
        await wait_until(pilot, lambda: "which file" in screen_text(pilot), "the question")
        assert "-Gardens.md" in screen_text(pilot)
        await pilot.press("ctrl+u", *f"~/{name}", "enter")
        await wait_until(pilot, lambda: "Replace it" in screen_text(pilot), "the file is there")
        assert file.read_text() == "mine"
        await pilot.press("right", "enter")
        await wait_until(pilot, lambda: "Written to" in notices(pilot), "the file")
        assert file.read_text().startswith(start)


@pytest.mark.parametrize(("key", "is_temporary"), [("ctrl+n", False), ("ctrl+t", True)])
async def test_a_new_chat_begins_here(store: Conversations, key: str, is_temporary: bool) -> None:
    app = ChatsApp(store)
    async with app.run_test(size=SIZE) as pilot:
        await _listed(pilot)
        await pilot.press(key)
        assert app.answers == [NewChat(is_temporary)]


async def test_an_empty_list_says_how_to_begin() -> None:
    with store_of(()) as store:
        app = ChatsApp(store)
        async with app.run_test(size=SIZE) as pilot:
            await wait_until(pilot, lambda: "Ctrl+N begins one" in screen_text(pilot), "a hint")
            await pilot.press("enter", "f8", "f2", "ctrl+z", "f6")
            assert app.answers == []
            await pilot.press(*"[/")
            await wait_until(pilot, lambda: "No chat says that." in screen_text(pilot), "nothing")


async def test_hostile_titles_and_texts_are_shown_as_they_are() -> None:
    chats = [chat(f"h{at}", f"needle {text}", title=text) for at, text in enumerate(HOSTILE)]
    with store_of(chats) as store:
        app = ChatsApp(store)
        async with app.run_test(size=(60, 30)) as pilot:
            for keys in ((), tuple("needle")):
                await pilot.press(*keys)
                await _listed(pilot, f"{len(HOSTILE)} chats")
                shown = screen_text(pilot).replace("\n", "")
                assert not [each for each in FORBIDDEN if each != "\n" and each in shown]
                assert "[red]markup[/]" in shown
                await pilot.press("end", "f8")
                await pilot.press("ctrl+z")


@hardened
async def test_two_thousand_chats_are_there_to_the_last() -> None:
    with store_of([chat(f"c{at}", f"question {at}", days=at) for at in range(2000)]) as store:
        app = ChatsApp(store)
        async with app.run_test(size=SIZE) as pilot:
            await _listed(pilot, "2,000 chats")
            await pilot.press("end")
            await wait_until(pilot, lambda: "question 1999" in screen_text(pilot), "the last")
