"""The history of a page on the screen, by keys, over real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.past.conftest import Host, OpenSession
from tests.tui.conftest import screen_text, wait_until
from tui.screens.history.screen import HistoryScreen
from tui.wiki_session import WikiSession
from vault.vault import Vault

PATH = "articles/Lens.md"
VERSIONS = (
    "# Lens\n\nThe 35mm is sharp.\n\n## Prices\n\n400\n",
    "# Lens\n\nThe 35mm is sharp and light.\n\n## Prices\n\n400\n",
    "# Lens\n\nThe 35mm is sharp and light.\n\n## Prices\n\n350, used\n",
)


def write_versions(vault: Vault) -> None:
    vault.create("Lens", "articles", text=VERSIONS[0])
    for number, text in enumerate(VERSIONS[1:]):
        actor = "you" if number else "synthesis run 7"
        vault.save(PATH, text, vault.read(PATH), actor, f"Change {number + 1}")


async def opened(open_session: OpenSession) -> WikiSession:
    session = await open_session()
    await session.ask(write_versions)
    return session


def on_disk(session: WikiSession) -> str:
    return (Path(session.root) / PATH).read_text()


async def test_each_version_shows_what_it_changed(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "+ 350, used" in screen_text(pilot), "the newest change")
        assert "- 400" in screen_text(pilot)
        assert "3 versions" in screen_text(pilot)
        await pilot.press("down")
        await wait_until(pilot, lambda: "and light" in screen_text(pilot), "the change before")
        assert "synthesis run 7" in screen_text(pilot)
        await pilot.press("down")
        await wait_until(pilot, lambda: "+ # Lens" in screen_text(pilot), "the beginning")


async def test_what_changed_since_a_version(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "350" in screen_text(pilot), "the versions")
        await pilot.press("down", "down", "enter")
        await wait_until(pilot, lambda: "since this version" in screen_text(pilot), "the question")
        await wait_until(pilot, lambda: "+ 350, used" in screen_text(pilot), "both changes")
        assert "+ The 35mm is sharp and light." in screen_text(pilot)


async def test_a_version_as_it_was_and_who_wrote_which_line(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "350" in screen_text(pilot), "the versions")
        await pilot.press("down", "down", "t")
        await wait_until(pilot, lambda: "The 35mm is sharp.\n" in squeezed(pilot), "the old text")
        await pilot.press("b")
        await wait_until(pilot, lambda: "synthesis run 7" in blamed(pilot, "light"), "who wrote it")
        assert "you" in blamed(pilot, "350")


async def test_the_page_becomes_what_it_was(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "350" in screen_text(pilot), "the versions")
        await pilot.press("down", "down", "r")
        await wait_until(pilot, lambda: "what it was?" in screen_text(pilot), "the question")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "4 versions" in screen_text(pilot), "the new version")
    assert on_disk(session) == VERSIONS[0]


async def test_leaving_the_question_changes_nothing(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "350" in screen_text(pilot), "the versions")
        for key in ("r", "u", "R"):
            await pilot.press("end", key)
            await wait_until(pilot, lambda: "Leave it" in screen_text(pilot), "the question")
            await pilot.press("escape")
            await wait_until(pilot, lambda: "Leave it" not in screen_text(pilot), "the list")
    assert on_disk(session) == VERSIONS[2]


async def test_one_section_becomes_what_it_was(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "350" in screen_text(pilot), "the versions")
        await pilot.press("down", "down", "s")
        await wait_until(pilot, lambda: "Restore which section" in screen_text(pilot), "the list")
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: "4 versions" in screen_text(pilot), "the new version")
    assert on_disk(session) == VERSIONS[1]


async def test_one_commit_is_undone_and_later_ones_stay(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "350" in screen_text(pilot), "the versions")
        await pilot.press("down", "u")
        await wait_until(pilot, lambda: "in every page?" in screen_text(pilot), "the question")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "4 versions" in screen_text(pilot), "the new version")
    assert on_disk(session) == VERSIONS[2].replace(" and light", "")


async def test_a_run_is_rolled_back_and_nobody_is_no_run(open_session: OpenSession) -> None:
    session = await opened(open_session)
    shown = Host(HistoryScreen(session, PATH)).run_test(size=(120, 30), notifications=True)
    async with shown as pilot:
        await wait_until(pilot, lambda: "350" in screen_text(pilot), "the versions")
        await pilot.press("R")
        await wait_until(pilot, lambda: "“you”" in screen_text(pilot), "the question")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "is no run" in screen_text(pilot), "the refusal")
        await pilot.press("down", "R")
        await wait_until(pilot, lambda: "“synthesis run 7”" in screen_text(pilot), "the question")
        await pilot.press("enter")
        await wait_until(pilot, lambda: "4 versions" in screen_text(pilot), "the new version")
    assert on_disk(session) == VERSIONS[2].replace(" and light", "")


async def test_more_versions_are_read_as_one_goes_down(open_session: OpenSession) -> None:
    session = await open_session()

    def write_many(vault: Vault) -> None:
        vault.create("Lens", "articles", text="0\n")
        for number in range(1, 60):
            vault.save(PATH, f"{number}\n", vault.read(PATH))

    await session.ask(write_many)
    async with Host(HistoryScreen(session, PATH)).run_test(size=(120, 30)) as pilot:
        await wait_until(pilot, lambda: "40+ versions" in screen_text(pilot), "the first versions")
        await pilot.press("end")
        await wait_until(pilot, lambda: "60 versions" in screen_text(pilot), "all of them")
        await pilot.press("end")
        await wait_until(pilot, lambda: "+ 0" in screen_text(pilot), "the beginning")


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (200, 50)], ids=str)
async def test_it_is_usable_in_every_size(open_session: OpenSession, size: tuple[int, int]) -> None:
    session = await opened(open_session)
    async with Host(HistoryScreen(session, PATH)).run_test(size=size) as pilot:
        await wait_until(pilot, lambda: "Change 2" in screen_text(pilot), "a version")
        await wait_until(pilot, lambda: "line 4 · 1 of 1" in screen_text(pilot), "its change")


async def test_a_page_in_no_commit_says_so(open_session: OpenSession) -> None:
    session = await open_session()
    (Path(session.root) / "articles/New.md").write_text("new\n")
    async with Host(HistoryScreen(session, "articles/New.md")).run_test(size=(100, 24)) as pilot:
        await wait_until(pilot, lambda: "in no commit yet" in screen_text(pilot), "the reason")


def squeezed(pilot: object) -> str:
    lines = screen_text(pilot).splitlines()  # type: ignore[arg-type]  # a pilot of any app
    return "".join(f"{line[40:].strip()}\n" for line in lines)


def blamed(pilot: object, word: str) -> str:
    lines = screen_text(pilot).splitlines()  # type: ignore[arg-type]  # a pilot of any app
    return next((line[40:] for line in lines if word in line and "│ " in line[45:]), "")
