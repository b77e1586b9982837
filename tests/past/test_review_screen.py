"""The review queue on the screen, by keys, over a real wiki."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.past.conftest import Host, OpenSession
from tests.tui.conftest import screen_text, wait_until
from tui.screens.review.screen import ReviewScreen
from tui.wiki_session import WikiSession
from vault.review.queue import ReviewQueue, review_dir

PATH = "articles/Lens.md"
PAGE = "# Lens\n\nThe 35mm is sharp.\n\n## Prices\n\n400\n\n## Notes\n\nnone\n"
BETTER = PAGE.replace("sharp", "sharp and light").replace("none", "bought in May")
SIZE = (120, 34)


def queue_of(session: WikiSession) -> ReviewQueue:
    return ReviewQueue(review_dir(session.location.data_dir, session.root))


async def opened(open_session: OpenSession) -> WikiSession:
    session = await open_session()
    await session.ask(lambda vault: vault.create("Lens", "articles", text=PAGE))
    queue_of(session).propose(
        PATH, PAGE, BETTER, reason="it was said", source="conv:1a2b", actor="chat 1a2b"
    )
    return session


def on_disk(session: WikiSession, path: str = PATH) -> str:
    return (Path(session.root) / path).read_text()


async def test_a_proposal_shows_its_source_its_reason_and_its_parts(
    open_session: OpenSession,
) -> None:
    session = await opened(open_session)
    async with Host(ReviewScreen(session)).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "[x] line 11 · 2 of 2" in screen_text(pilot), "the parts")
        for text in ("conv:1a2b", "it was said", "chat 1a2b", "1 waiting", "+ bought in May"):
            assert text in screen_text(pilot)
    assert on_disk(session) == PAGE


async def test_all_of_it_is_accepted_and_taken_back(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(ReviewScreen(session)).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "2 of 2" in screen_text(pilot), "the parts")
        await pilot.press("a")
        await wait_until(pilot, lambda: "0 waiting" in screen_text(pilot), "the end of it")
        assert on_disk(session) == BETTER
        await pilot.press("d")
        await wait_until(pilot, lambda: "1 decided" in screen_text(pilot), "the decided ones")
        await pilot.press("u")
        await wait_until(pilot, lambda: "0 decided" in screen_text(pilot), "the question again")
    assert on_disk(session) == PAGE
    assert len(queue_of(session).waiting()) == 1


async def test_one_part_is_left_out(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(ReviewScreen(session)).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "2 of 2" in screen_text(pilot), "the parts")
        await pilot.press("n", "space")
        await wait_until(pilot, lambda: "[ ] line 11" in screen_text(pilot), "the empty box")
        await pilot.press("a")
        await wait_until(pilot, lambda: "0 waiting" in screen_text(pilot), "the end of it")
    assert on_disk(session) == PAGE.replace("sharp", "sharp and light")


async def test_no_part_taken_is_no_acceptance(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(ReviewScreen(session)).run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "2 of 2" in screen_text(pilot), "the parts")
        await pilot.press("space", "n", "space", "a")
        await wait_until(pilot, lambda: "No part is taken" in screen_text(pilot), "the advice")
    assert on_disk(session) == PAGE


async def test_it_is_edited_before_it_is_accepted(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(ReviewScreen(session)).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "2 of 2" in screen_text(pilot), "the parts")
        await pilot.press("e")
        await wait_until(pilot, lambda: "Ctrl+S accepts it" in screen_text(pilot), "the text")
        await pilot.press(*"X ", "ctrl+s")
        await wait_until(pilot, lambda: "0 waiting" in screen_text(pilot), "the end of it")
    assert on_disk(session) == f"X {BETTER}"


async def test_it_is_rejected_with_a_reason(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(ReviewScreen(session)).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "2 of 2" in screen_text(pilot), "the parts")
        await pilot.press("x")
        await wait_until(pilot, lambda: "Why not?" in screen_text(pilot), "the question")
        await pilot.press(*"no", "ctrl+s")
        await wait_until(pilot, lambda: "0 waiting" in screen_text(pilot), "the end of it")
        await pilot.press("d")
        await wait_until(pilot, lambda: "rejected" in screen_text(pilot), "what became of it")
        assert ": no" in screen_text(pilot)
    assert on_disk(session) == PAGE


async def test_leaving_the_question_rejects_nothing(open_session: OpenSession) -> None:
    session = await opened(open_session)
    async with Host(ReviewScreen(session)).run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: "2 of 2" in screen_text(pilot), "the parts")
        await pilot.press("x", "escape")
        await wait_until(pilot, lambda: "Why not?" not in screen_text(pilot), "the list again")
    assert len(queue_of(session).waiting()) == 1


async def test_what_changed_in_the_same_place_is_said_and_kept(open_session: OpenSession) -> None:
    session = await opened(open_session)
    theirs = PAGE.replace("sharp", "soft")
    (Path(session.root) / PATH).write_text(theirs)
    async with Host(ReviewScreen(session)).run_test(size=SIZE, notifications=True) as pilot:
        await wait_until(pilot, lambda: "2 of 2" in screen_text(pilot), "the parts")
        await pilot.press("a")
        await wait_until(pilot, lambda: "same lines" in screen_text(pilot), "the reason")
    assert on_disk(session) == theirs


@pytest.mark.parametrize(
    "text", ["[/x] [red]", "\x1b]52;c;aGk=\x07 \u202e", "a\u2028b" * 50], ids=repr
)
async def test_what_a_model_proposes_is_only_text(open_session: OpenSession, text: str) -> None:
    session = await open_session()
    queue_of(session).propose(
        f"articles/{text[:20]}.md", None, text, reason=text, source=text, actor=text
    )
    async with Host(ReviewScreen(session)).run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "1 of 1" in screen_text(pilot), "the part")
        assert not set(screen_text(pilot)) & {"\x1b", "\x07", "\u202e", "\u2028"}


async def test_an_empty_queue_says_what_comes_here(open_session: OpenSession) -> None:
    session = await open_session()
    async with Host(ReviewScreen(session)).run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: "Nothing waits for you" in screen_text(pilot), "the words")
